import type { InfiniteData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Loaded, type Query } from '#console/ui/page/loaded.tsx';

interface MoreListProps<Page, Item> {
  query: Query<InfiniteData<Page>> & {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
  itemsOf: (page: Page) => readonly Item[];
  /** Stands where there is nothing. */
  none: ReactNode;
  rows?: number;
  children: (items: readonly Item[]) => ReactNode;
}

/** A list that grows by a button below it. */
export function MoreList<Page, Item>({ query, itemsOf, none, rows = 4, children }: MoreListProps<Page, Item>) {
  const words = useUiWords();
  return (
    <Loaded query={query} rows={rows}>
      {({ pages }) => {
        const items = pages.flatMap((page) => itemsOf(page));
        return (
          <>
            {items.length === 0 ? none : children(items)}
            {query.hasNextPage && (
              <div>
                <Button size="small" isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
                  {words.showMore}
                </Button>
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
