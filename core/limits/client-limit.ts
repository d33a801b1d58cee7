import { LRUCache } from 'lru-cache';
import { clientNetwork } from '#core/http/client-name.ts';
import { copyText } from '#core/lib/text/copy-text.ts';

/** Limits how often a client may call, by its address; IPv6 addresses count by their /64. */
export interface ClientLimit {
  /** Counts a call. @returns the seconds to wait where the client has called too often. */
  take(address: string): number | undefined;
  /** The seconds that `take` would return for one more call; counts nothing. */
  wait(address: string): number | undefined;
}

interface ClientLimitOptions {
  perWindow: number;
  windowMs: number;
  /** Milliseconds. Default: of a clock that never goes back. */
  now?: () => number;
}

// Far above the clients of one window. A client that falls out of the cache begins a new window.
const maxClients = 20_000;

/**
 * Counts calls by client network, in this process alone: a client whose calls are spread over several processes has the limit
 * once in each. A window begins with the first call after the last window ended.
 */
export function createClientLimit({
  perWindow,
  windowMs,
  now = () => performance.now(),
}: ClientLimitOptions): ClientLimit {
  const windows = new LRUCache<string, { endsAtMs: number; count: number }>({ max: maxClients });
  const secondsLeft = ({ endsAtMs }: { endsAtMs: number }, nowMs: number): number =>
    Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
  return {
    take(address) {
      const client = clientNetwork(address);
      const nowMs = now();
      const window = windows.get(client);
      if (window === undefined || nowMs >= window.endsAtMs) {
        windows.set(copyText(client), { endsAtMs: nowMs + windowMs, count: 1 });
        return undefined;
      }
      window.count += 1;
      return window.count > perWindow ? secondsLeft(window, nowMs) : undefined;
    },
    wait(address) {
      const nowMs = now();
      const window = windows.get(clientNetwork(address));
      if (window === undefined || nowMs >= window.endsAtMs || window.count < perWindow) return undefined;
      return secondsLeft(window, nowMs);
    },
  };
}
