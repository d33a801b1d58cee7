import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { staffQuery } from '#console/api/staff.ts';
import { SearchBox } from '#console/organize/search-box.tsx';
import { Chip } from '#console/ui/states.tsx';
import type { StaffListSearch } from './search.ts';
import { useStaffWords } from './words.ts';
import css from './staff.module.css';

/** The search above a list, and the organization that it is limited to. */
export function Filters({
  search,
  label,
  onSearch,
  children,
}: {
  search: StaffListSearch;
  label: string;
  onSearch: (next: StaffListSearch) => void;
  children?: ReactNode;
}) {
  const { q = '', org } = search;
  return (
    <div className={css.filters}>
      <SearchBox label={label} text={q} onSearch={(text) => onSearch({ q: text === '' ? undefined : text })} />
      {children}
      {org !== undefined && <Within id={org} />}
    </div>
  );
}

function Within({ id }: { id: string }) {
  const words = useStaffWords();
  const { data } = useQuery(staffQuery('organizations.get', { id }));
  return (
    <span>
      <Chip>{words.within(data?.name ?? id)}</Chip>{' '}
      <Link to="." search={{}}>
        {words.everywhere}
      </Link>
    </span>
  );
}
