import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Filters } from './filters.tsx';
import { StaffFrame } from './frame.tsx';
import { StaffList } from './list.tsx';
import { DomainRow, FileRow, LinkRow } from './rows/subjects.tsx';
import type { StaffListSearch } from './search.ts';
import { useStaffWords } from './words.ts';

type Place = '/staff/links' | '/staff/files' | '/staff/domains';

/** What the lists over all organizations have in common: their search, in the address. */
function useList(place: Place) {
  const search: StaffListSearch = useSearch({ from: `/frame${place}` });
  const navigate = useNavigate();
  const set = useCallback(
    (next: StaffListSearch) =>
      void navigate({ to: place, search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate, place],
  );
  return { search, set, input: { search: search.q, organizationId: search.org } };
}

/** /staff/links */
export function StaffLinksPage() {
  const words = useStaffWords();
  const { search, set, input } = useList('/staff/links');
  return (
    <StaffFrame page="links">
      <StaffList
        path="links.search"
        input={input}
        title={words.pages.links}
        before={<Filters search={search} label={words.searchLinks} onSearch={set} />}
      >
        {(link) => <LinkRow key={link.id} link={link} isOfMany />}
      </StaffList>
    </StaffFrame>
  );
}

/** /staff/files */
export function StaffFilesPage() {
  const words = useStaffWords();
  const { search, set, input } = useList('/staff/files');
  return (
    <StaffFrame page="files">
      <StaffList
        path="files.list"
        input={input}
        title={words.pages.files}
        before={<Filters search={search} label={words.searchFiles} onSearch={set} />}
      >
        {(file) => <FileRow key={file.id} file={file} isOfMany />}
      </StaffList>
    </StaffFrame>
  );
}

/** /staff/domains */
export function StaffDomainsPage() {
  const words = useStaffWords();
  const { search, set, input } = useList('/staff/domains');
  return (
    <StaffFrame page="domains">
      <StaffList
        path="domains.list"
        input={input}
        title={words.pages.domains}
        before={<Filters search={search} label={words.searchDomains} onSearch={set} />}
      >
        {(domain) => <DomainRow key={domain.id} domain={domain} isOfMany />}
      </StaffList>
    </StaffFrame>
  );
}
