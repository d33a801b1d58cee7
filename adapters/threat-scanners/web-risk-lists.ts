import { LRUCache } from 'lru-cache';
import type { ThreatLists } from '#core/threats/threat-lists.ts';
import { threatTypes } from '#core/threats/types.ts';
import { urlHashes } from '#core/threats/url-expressions.ts';
import { createListLookup } from './list-lookup.ts';
import { ScanError, type ThreatScanner } from './threat-scanner.ts';
import { holdsUntil } from './web-risk.ts';
import type { FoundHashes, WebRiskClient } from './web-risk-client.ts';

interface WebRiskListsOptions {
  client: Pick<WebRiskClient, 'name' | 'searchHashes' | 'close'>;
  lists: ThreatLists;
  /** Validity of a clean verdict, in milliseconds. */
  cleanForMs: number;
}

// Some megabytes. Web Risk asks clients to keep its answers.
const maxCachedPrefixes = 10_000;

/**
 * Looks URLs up in lists of hash prefixes in memory, and asks Web Risk (`hashes.search`) for the full hashes of the prefixes that
 * match. Where the lists are missing or stale, threats are still found, but no URL is clean: lookups then fail as unavailable.
 */
export function createWebRiskLists({ client, lists, cleanForMs }: WebRiskListsOptions): ThreatScanner {
  const cache = new LRUCache<string, FoundHashes & { until: Date }>({ max: maxCachedPrefixes });

  /** The full hashes with a prefix, from the cache where no part of the earlier answer has expired. */
  async function search(prefix: Buffer, signal: AbortSignal | undefined): Promise<FoundHashes> {
    const key = prefix.toString('hex');
    const cached = cache.get(key);
    if (cached !== undefined && cached.until.getTime() > Date.now()) return cached;
    const found = await client.searchHashes(prefix, signal);
    const expiries = [found.cleanUntilMs, ...[...found.threats.values()].map(({ expiresAtMs }) => expiresAtMs)];
    cache.set(key, { ...found, until: holdsUntil(Math.min(...expiries)) });
    return found;
  }

  return {
    name: `the threat lists of ${client.name}`,
    lookUpLocally: createListLookup(lists, cleanForMs),
    async lookup(url, signal) {
      const hashes = urlHashes(url);
      if (hashes === undefined) throw new ScanError('refused', 'the URL has no host');
      const prefixes = new Map(lists.match(hashes).map(({ prefix }) => [prefix.toString('hex'), prefix]));
      const answers = await Promise.all([...prefixes.values()].map((prefix) => search(prefix, signal)));
      const threats = answers.flatMap((answer) =>
        hashes.flatMap((hash) => answer.threats.get(hash.toString('hex')) ?? []),
      );
      if (threats.length > 0) {
        const types = new Set(threats.flatMap((threat) => threat.threatTypes));
        return {
          threatTypes: threatTypes.filter((type) => types.has(type)),
          expiresAt: holdsUntil(Math.min(...threats.map(({ expiresAtMs }) => expiresAtMs))),
        };
      }
      const stale = lists.describeStale(Date.now());
      if (stale !== undefined) throw new ScanError('unavailable', stale);
      return {
        threatTypes: [],
        expiresAt: holdsUntil(Math.min(Date.now() + cleanForMs, ...answers.map(({ cleanUntilMs }) => cleanUntilMs))),
      };
    },
    close: () => client.close(),
  };
}
