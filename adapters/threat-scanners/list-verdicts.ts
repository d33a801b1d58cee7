import type { ScanAnswer } from '#core/threats/answer.ts';
import type { ThreatLists } from '#core/threats/threat-lists.ts';
import { urlHashes } from '#core/threats/url-expressions.ts';

/**
 * Answers by the threat lists in memory: a URL of which fresh lists know no prefix is clean. A prefix alone does not tell that a URL
 * is dangerous: Web Risk has to be asked.
 * @param cleanForMs validity of a clean verdict.
 */
export function createListVerdicts(lists: ThreatLists, cleanForMs: number) {
  return {
    async lookUpLocally(url: string): Promise<ScanAnswer | undefined> {
      const nowMs = Date.now();
      if (!lists.isFresh(nowMs)) return undefined;
      const hashes = urlHashes(url);
      if (hashes === undefined || lists.match(hashes).length > 0) return undefined;
      return { threatTypes: [], expiresAt: new Date(nowMs + cleanForMs) };
    },
  };
}
