import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ListTool, staffPages, type ToolInput, type ToolItem } from '#console/api/staff.ts';
import settings from '#console/settings/settings.module.css';
import { Button } from '#console/ui/button.tsx';
import { Failed, Skeleton } from '#console/ui/states.tsx';
import { useStaffWords } from './words.ts';
import css from './staff.module.css';

interface StaffListProps<Path extends ListTool> {
  path: Path;
  input: ToolInput<Path>;
  title: string;
  /** Stands above the rows. */
  before?: ReactNode;
  /** One row: an `li`. */
  children: (item: ToolItem<Path>) => ReactNode;
}

/** A list of the internal tools, page after page. */
export function StaffList<Path extends ListTool>({ path, input, title, before, children }: StaffListProps<Path>) {
  const words = useStaffWords();
  const list = useInfiniteQuery(staffPages(path, input));
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <section className={settings.panel} aria-label={title}>
      <h2>{title}</h2>
      {before}
      {items === undefined ? (
        list.error === null ? (
          <Skeleton rows={4} />
        ) : (
          <Failed error={list.error} onRetry={() => void list.refetch()} />
        )
      ) : items.length === 0 ? (
        <p className="quiet">{words.none}</p>
      ) : (
        <ul className={css.rows}>{items.map((item) => children(item))}</ul>
      )}
      {list.hasNextPage && (
        <div>
          <Button size="small" isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
            {words.more}
          </Button>
        </div>
      )}
    </section>
  );
}
