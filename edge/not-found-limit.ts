import { clientNetwork } from '#core/http/client-name.ts';
import { copyText } from '#core/lib/text/copy-text.ts';
import { LRUCache } from 'lru-cache';

/** Limits how often a client may ask for links that do not exist (4.15). */
export interface NotFoundLimit {
  /** Counts a miss of an address. @returns the seconds to wait where the client had too many. */
  add(address: string): number | undefined;
  /** The seconds that `add` would return for one more miss; counts nothing. */
  wait(address: string): number | undefined;
}

interface NotFoundLimitOptions {
  perMinute: number;
  /** Unix time in milliseconds. */
  now(): number;
}

const windowMs = 60_000;
// Far above the clients of one minute. A client that falls out of the cache begins a new window.
const maxClients = 20_000;

/**
 * Counts misses by client network, in this process alone: a client whose requests are spread over several processes has the
 * limit once in each. A window of a minute begins with the first miss after the last window ended.
 */
export function createNotFoundLimit({ perMinute, now }: NotFoundLimitOptions): NotFoundLimit {
  const windows = new LRUCache<string, { endsAtMs: number; count: number }>({ max: maxClients });
  const secondsLeft = ({ endsAtMs }: { endsAtMs: number }, nowMs: number): number =>
    Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
  return {
    add(address) {
      const client = clientNetwork(address);
      const nowMs = now();
      const window = windows.get(client);
      if (window === undefined || nowMs >= window.endsAtMs) {
        windows.set(copyText(client), { endsAtMs: nowMs + windowMs, count: 1 });
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
