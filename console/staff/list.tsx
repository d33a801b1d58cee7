import type { ReactNode } from 'react';
import { type ListTool, staffPages, type ToolInput, type ToolItem } from '#console/api/staff.ts';
import { useStaffWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { MoreList } from '#console/ui/list/more-list.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';

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
