import { clientNetwork } from '#core/http/client-name.ts';
import { copyText } from '#core/lib/copy-text.ts';

/**
 * Counts a request of an address; seconds until it may ask again, where it has asked too often. IPv6 addresses count by
 * their /64.
 */
export type BurstLimit = (address: string) => number | undefined;

/** Settings of `createBurstLimit`. */
export interface BurstLimitOptions {
  perSecond: number;
  /** Milliseconds on a clock that never goes back. */
  monotonicMs?(): number;
}

const windowMs = 1_000;
// Beyond as many in one second addresses are counted together.
const maxClients = 10_000;
const others = 'others';

/**
 * Limits how often an address may ask for what needs no key and costs something, in this process alone. All are forgotten
 * each second, so that monitors that ask too often are not kept out for long.
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
