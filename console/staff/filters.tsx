import type { ReactNode } from 'react';
import { staffQuery } from '#console/api/staff.ts';
import { SearchBox } from '#console/ui/list/search-box.tsx';
import type { StaffListSearch } from './search.ts';
import { useStaffWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { Chip } from '#console/ui/page/states.tsx';

/** The search above a list, and the organization that it is limited to. */
export function Filters({
  search: { q = '', org },
  label,
  onSearch,
  children,
}: {
  search: StaffListSearch;
  label: string;
  onSearch: (next: { q: string | undefined }) => void;
  children?: ReactNode;
}) {
  const words = useStaffWords();
  const { data } = useQuery({ ...staffQuery('organizations.get', { id: org ?? '' }), enabled: org !== undefined });
  return (
    <div className={layout.filters}>
      <SearchBox label={label} text={q} onSearch={(text) => onSearch({ q: text === '' ? undefined : text })} />
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
