import { LRUCache } from 'lru-cache';
import { clientNetwork } from '#core/http/client-name.ts';
import { copyText } from '#core/lib/text/copy-text.ts';

/**
 * Counts a request of an address. @returns the seconds to wait where the address has asked too often. IPv6 addresses count by
 * their /64.
 */
export type BurstLimit = (address: string) => number | undefined;

interface BurstLimitOptions {
  perSecond: number;
  /** Milliseconds on a clock that never goes back. */
  monotonicMs?(): number;
}

const windowMs = 1_000;
const maxClients = 10_000;

/** Limits how often an address may call costly endpoints without a key, in this process alone. */
export function createBurstLimit({ perSecond, monotonicMs = () => performance.now() }: BurstLimitOptions): BurstLimit {
  // The count of a client ends a second after its first call, so that a monitor that asks too often is not blocked for long.
  const counts = new LRUCache<string, { calls: number }>({
    max: maxClients,
    ttl: windowMs,
    ttlResolution: 0,
    perf: { now: monotonicMs },
  });
  return (address) => {
    const client = clientNetwork(address);
    let count = counts.get(client);
    if (count === undefined) counts.set(copyText(client), (count = { calls: 0 }));
    count.calls += 1;
    return count.calls > perSecond ? 1 : undefined;
  };
}
