import { clientNetwork } from '#core/http/client-name.ts';
import { createBoundedCache } from './bounded-cache.ts';

/** How often clients ask for what does not exist (4.15). */
export interface NotFoundLimit {
  /** Takes note of a miss; seconds until the client may have another where there were too many. */
  add(address: string): number | undefined;
  /** The seconds that `add` would give for one more, which is not counted. */
  wait(address: string): number | undefined;
}

/** Settings of `createNotFoundLimit`. */
export interface NotFoundLimitOptions {
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
export function createNotFoundLimit({ perMinute, now }: NotFoundLimitOptions): NotFoundLimit {
  const windows = createBoundedCache<{ endsAtMs: number; count: number }>({ max: maxClients, maxBytes });
  const secondsLeft = ({ endsAtMs }: { endsAtMs: number }, nowMs: number): number =>
    Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
  return {
    add(address) {
      const client = clientNetwork(address);
      const nowMs = now();
      const window = windows.get(client);
      if (window === undefined || nowMs >= window.endsAtMs) {
        windows.set(client, { endsAtMs: nowMs + windowMs, count: 1 });
        return undefined;
      }
      window.count += 1;
      return window.count > perMinute ? secondsLeft(window, nowMs) : undefined;
    },
    wait(address) {
      const nowMs = now();
      const window = windows.get(clientNetwork(address));
      if (window === undefined || nowMs >= window.endsAtMs || window.count < perMinute) return undefined;
      return secondsLeft(window, nowMs);
    },
  };
}
