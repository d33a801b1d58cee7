import type { ReactNode } from 'react';
import { type ListTool, staffPages, staffQuery, type ToolInput, type ToolItem } from '#console/api/staff.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { useStaffWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { MoreList } from '#console/ui/list/more-list.tsx';
import { SearchBox } from '#console/ui/list/search-box.tsx';
import { Chip } from '#console/ui/page/states.tsx';
import type { PeopleSearch } from './search.ts';
import { Link } from '@tanstack/react-router';
import { Panel } from '#console/ui/page/panel.tsx';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';

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
  return (
    <Panel title={title}>
      {before}
      <MoreList
        query={useInfiniteQuery(staffPages(path, input))}
        itemsOf={(page) => page.items}
        none={<p className="quiet">{words.nothingToShow}</p>}
      >
        {(items) => <ul className={layout.rows}>{items.map((item) => children(item))}</ul>}
      </MoreList>
    </Panel>
  );
}

/** The search above a list, and the organization that it is limited to. A search closes the person who is shown. */
export function Filters({ label, children }: { label: string; children?: ReactNode }) {
  const words = useStaffWords();
  const { search, change } = usePageSearch<PeopleSearch>();
  const { q = '', org } = search;
  const { data } = useQuery({ ...staffQuery('organizations.get', { id: org ?? '' }), enabled: org !== undefined });
  return (
    <div className={layout.filters}>
      <SearchBox
        label={label}
        text={q}
        onSearch={(text) => change({ q: text === '' ? undefined : text, id: undefined })}
      />
      {children}
      {org !== undefined && <Everywhere text={words.within(data?.name ?? org)} />}
    </div>
  );
}

/** What a list is limited to, and the way to all. */
export function Everywhere({ text }: { text: string }) {
  const words = useStaffWords();
  return (
    <span>
      <Chip>{text}</Chip>{' '}
      <Link to="." search={{}}>
        {words.showAll}
      </Link>
    </span>
  );
}

interface StaffRowProps {
  children: ReactNode;
  /** Stand below, each in a line. */
  lines?: readonly ReactNode[];
  /** Stand at the end. */
  actions?: ReactNode;
}

/** A row of a list of the staff. */
export function StaffRow({ children, lines, actions }: StaffRowProps) {
  return (
    <li>
      <span className={layout.about}>
        <span>{children}</span>
        {(lines ?? [])
          .filter((line) => line !== null && line !== false)
          .map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines have no other identity than their place
            <span key={index} className="quiet">
              {line}
            </span>
          ))}
      </span>
      <span className={layout.actions}>{actions}</span>
    </li>
  );
}
