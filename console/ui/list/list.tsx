import type { ReactNode } from 'react';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Loaded, type Query } from '#console/ui/page/loaded.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Pages } from '#console/ui/list/pages.tsx';
import { Empty } from '#console/ui/page/states.tsx';

interface ListProps<Data extends { data: readonly unknown[]; count: number }> {
  query: Query<Data> & { isPlaceholderData?: boolean };
  /** The first is 1. */
  page?: number;
  perPage: number;
  onPage?: (page: number) => void;
  /** How many there are, in words; undefined: the place says it. */
  found?: (count: number) => string;
  /** Stands where there is nothing. */
  empty: ReactNode;
  /** Size of the place until the rows are there. */
  rows?: number;
  height?: number;
  children: (rows: Data['data'], data: Data) => ReactNode;
}

/** A list, page after page; the rows of the page before stay, dimmed, while the next ones are read. */
export function List<Data extends { data: readonly unknown[]; count: number }>(props: ListProps<Data>) {
  const { query, page = 1, perPage, onPage = () => {}, found, empty, rows = 4, height = 3, children } = props;
  const words = useUiWords();
  return (
    <Loaded query={query} rows={rows} height={height}>
      {(data) =>
        data.count === 0 ? (
          empty
        ) : data.data.length === 0 ? (
          <Empty
            icon="list"
            title={words.pastEnd}
            action={<Button onPress={() => onPage(Math.ceil(data.count / perPage))}>{words.lastPage}</Button>}
          />
        ) : (
          <>
            {found !== undefined && (
              <p className="quiet" role="status">
                {found(data.count)}
              </p>
            )}
            <div className={query.isPlaceholderData === true ? layout.isStale : undefined}>
              {children(data.data, data)}
            </div>
            <Pages page={page} pages={Math.ceil(data.count / perPage)} onPage={onPage} />
          </>
        )
      }
    </Loaded>
  );
}
