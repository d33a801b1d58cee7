import { useCallback } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { updateLink } from '#console/api/links/links.ts';
import type { LinkPage, ShortLinkItem } from '#console/api/types.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { useLinkWords } from '#console/links/words.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';

/** @returns a function that shows a change of a row at once, takes it back where the API refuses, and offers to undo it. */
export function useRowChange() {
  const words = useLinkWords();
  const queries = useQueryClient();
  return useCallback(
    async function change(link: ShortLinkItem, patch: Partial<ShortLinkItem>, done: string): Promise<void> {
      const put = (item: ShortLinkItem): void => {
        queries.setQueriesData<LinkPage>({ queryKey: ['links', 'list'] }, (before) =>
          before === undefined
            ? before
            : { ...before, data: before.data.map((row) => (row.id === item.id ? { ...row, ...item } : row)) },
        );
      };
      const refresh = (): void => void queries.invalidateQueries({ queryKey: ['links'] });
      put({ ...link, ...patch });
      try {
        await updateLink(link.id, patch);
        const back = Object.fromEntries(Object.keys(patch).map((name) => [name, link[name as keyof ShortLinkItem]]));
        sayDone(done, {
          label: words.undo,
          onPress: () => {
            put(link);
            void updateLink(link.id, back).finally(refresh);
          },
        });
      } catch (failure) {
        put(link);
        sayFailed(words.notChanged(shownShortUrl(link.originUrl)), failure, {
          label: words.tryAgain,
          onPress: () => void change(link, patch, done),
        });
      }
      refresh();
    },
    [queries, words],
  );
}
