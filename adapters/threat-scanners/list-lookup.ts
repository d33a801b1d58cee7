import type { ThreatLists } from '#core/threats/threat-lists.ts';
import { urlHashes } from '#core/threats/url-expressions.ts';
import type { LocalLookup } from './threat-scanner.ts';

/**
 * Answers by the threat lists in memory: a URL of which fresh lists know no prefix is clean. A prefix alone does not tell that a URL
 * is dangerous: Web Risk has to be asked.
 * @param cleanForMs validity of a clean verdict.
 */
export function createListLookup(lists: ThreatLists, cleanForMs: number): LocalLookup {
  return async (url) => {
    const nowMs = Date.now();
    if (!lists.isFresh(nowMs)) return undefined;
    const hashes = urlHashes(url);
    if (hashes === undefined || lists.match(hashes).length > 0) return undefined;
    return { threatTypes: [], expiresAt: new Date(nowMs + cleanForMs) };
  };
}
