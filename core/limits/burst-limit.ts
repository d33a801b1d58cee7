import { clientNetwork } from '#core/http/client-name.ts';
import { copyText } from '#core/lib/copy-text.ts';

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
// A choice: further addresses of the same second share one count, so that memory is bounded.
const maxClients = 10_000;
const others = 'others';

/**
 * Limits how often an address may call costly endpoints without a key, in this process alone. Counts start again each second,
 * so that a monitor that asks too often is not blocked for long.
 */
export function createBurstLimit({ perSecond, monotonicMs = () => performance.now() }: BurstLimitOptions): BurstLimit {
  const counts = new Map<string, number>();
  let endsAtMs = Number.NEGATIVE_INFINITY;
  return (address) => {
    const nowMs = monotonicMs();
    if (nowMs >= endsAtMs) {
      counts.clear();
      endsAtMs = nowMs + windowMs;
    }
    let client = clientNetwork(address);
    if (!counts.has(client)) client = counts.size < maxClients ? copyText(client) : others;
    const count = (counts.get(client) ?? 0) + 1;
    counts.set(client, count);
    return count > perSecond ? 1 : undefined;
  };
}
