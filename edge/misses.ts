import { clientNetwork } from '../core/client-name.ts';
import { createClockMap } from './clock-map.ts';

/**
 * Takes note that a client asked for what does not exist; seconds until it may do so again where that was too often (4.15).
 */
export type Misses = (address: string) => number | undefined;

/** Settings of `createMisses`. */
export interface MissesOptions {
  perMinute: number;
  /** Unix time in milliseconds. */
  now(): number;
}

const windowMs = 60_000;
// As many as come at once are remembered; who is forgotten begins anew.
const maxClients = 20_000;
const maxBytes = 8 * 1_024 * 1_024;

/**
 * Counts misses of each client, in this process alone: a client whose requests are spread over several gets as many times
 * the limit. A window begins with the first miss after the last one ended.
 */
export function createMisses({ perMinute, now }: MissesOptions): Misses {
  const windows = createClockMap<{ endsAtMs: number; count: number }>({ max: maxClients, maxBytes });
  return (address) => {
    const client = clientNetwork(address);
    const nowMs = now();
    const window = windows.get(client);
    if (window === undefined || nowMs >= window.endsAtMs) {
      windows.set(client, { endsAtMs: nowMs + windowMs, count: 1 });
      return undefined;
    }
    window.count += 1;
    return window.count > perMinute ? Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)) : undefined;
  };
}
