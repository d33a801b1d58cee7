import type { ReactNode } from 'react';
import type { ToolInput, ToolItem } from '#console/api/staff.ts';
import { StaffFrame } from '#console/staff/frame.tsx';
import { Filters, StaffList } from '#console/staff/list.tsx';
import { DomainRow, FileRow, LinkRow } from '#console/staff/rows/subjects.tsx';
import { WebhookRow } from '#console/staff/rows/webhook.tsx';
import type { StaffListSearch, StaffWebhooksSearch } from '#console/staff/search.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { Switch } from '#console/ui/form/field.tsx';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

const searchWords = {
  links: 'searchLinks',
  files: 'searchFiles',
  domains: 'searchDomains',
  webhooks: 'searchWebhooks',
} as const;

interface ListPageProps<Path extends 'links.search' | 'files.list' | 'domains.list' | 'webhooks.list'> {
  page: keyof typeof searchWords;
  path: Path;
  /** Filters of this list alone. */
  input?: Partial<ToolInput<Path>>;
  filters?: ReactNode;
  children: (item: ToolItem<Path>) => ReactNode;
}

/** A list over all organizations with a search. */
function ListPage<Path extends 'links.search' | 'files.list' | 'domains.list' | 'webhooks.list'>(
  props: ListPageProps<Path>,
) {
  const { page, path, input, filters, children } = props;
  const words = useStaffWords();
  const { search } = usePageSearch<StaffListSearch>();
  return (
    <StaffFrame page={page}>
      <StaffList
        path={path}
        input={{ search: search.q, organizationId: search.org, ...input } as ToolInput<Path>}
        title={words.pages[page]}
        before={<Filters label={words[searchWords[page]]}>{filters}</Filters>}
      >
        {children}
      </StaffList>
    </StaffFrame>
  );
}

/** /staff/links */
export function StaffLinksPage() {
  return (
    <ListPage page="links" path="links.search">
      {(link) => <LinkRow key={link.id} link={link} isOfMany />}
    </ListPage>
  );
}

/** /staff/files */
export function StaffFilesPage() {
  return (
    <ListPage page="files" path="files.list">
      {(file) => <FileRow key={file.id} file={file} isOfMany />}
    </ListPage>
  );
}

/** /staff/domains */
export function StaffDomainsPage() {
  return (
    <ListPage page="domains" path="domains.list">
      {(domain) => <DomainRow key={domain.id} domain={domain} isOfMany />}
    </ListPage>
  );
}

/** /staff/webhooks */
export function StaffWebhooksPage() {
  const words = useStaffWords();
  const { search, change } = usePageSearch<StaffWebhooksSearch>();
  return (
    <ListPage
      page="webhooks"
      path="webhooks.list"
      input={search.show === 'failing' ? { isFailing: true } : {}}
      filters={
        <Switch
          isSelected={search.show === 'failing'}
          onChange={(isOn) => change({ show: isOn ? 'failing' : undefined })}
        >
          {words.failingAlone}
        </Switch>
      }
    >
      {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} isOfMany />}
    </ListPage>
  );
}
