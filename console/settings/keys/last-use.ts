import type { ApiKey } from '#console/api/people/keys.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { useKeyWords } from './words.ts';

/** @returns what tells when and from where a key was last used. */
export function useLastUse(): (key: Pick<ApiKey, 'lastUsedAt' | 'lastUsedFrom'>) => string {
  const words = useKeyWords();
  const format = useFormat();
  const now = useNow();
  return ({ lastUsedAt, lastUsedFrom }) => {
    if (lastUsedAt === null) return words.never;
    const when = format.ago(lastUsedAt, now);
    return lastUsedFrom === null ? when : words.usedFrom(when, lastUsedFrom);
  };
}
