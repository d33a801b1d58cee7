import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { output } from 'zod';
import type { linkCountsSchema } from '#api/short-link/schema.ts';
import type { checkedLinkSchema } from '#api/short-link/check/schema.ts';
import { call, callTagged, type Tagged } from '#console/api/client.ts';
import { refusalWords } from '#console/api/refusal.ts';
import type { ChangedLink, LinkHistoryPage, LinkPage, ShortLink } from '#console/api/types.ts';

/** Filters and order of a list of links, as the API names them. */
export interface LinkFilters {
  search?: string | undefined;
  domainNames?: readonly string[] | undefined;
  folderIds?: readonly string[] | undefined;
  tagIds?: readonly string[] | undefined;
  tagNames?: readonly string[] | undefined;
  states?: readonly string[] | undefined;
  ids?: readonly string[] | undefined;
}

/** Order and place of a page of links. */
interface LinkPaging {
  sortBy?: string;
  sortOrder?: 'asc' | 'desc';
  /** The first page is 0. */
  page?: number;
  limit?: number;
  cursor?: string;
  withQrCodeTemplate?: boolean;
}

/** A row of the answer of a bulk call. */
export interface BulkRow {
  status: number;
  data?: unknown;
  error?: { code: string; message: string; issues?: { path: string; message: string }[] };
}

/** What a link can be changed to by `PATCH /short-link/{id}`. */
export type LinkPatch = Record<string, unknown>;

/** A page of links. Old rows stay while another filter loads. */
export function linkListQuery(filters: LinkFilters, paging: LinkPaging) {
  return queryOptions({
    queryKey: ['links', 'list', filters, paging],
    queryFn: ({ signal }) => call<LinkPage>('GET', '/short-link/list', { query: { ...filters, ...paging }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** How many links that filters find have each state. */
export function linkStateCountsQuery(filters: LinkFilters) {
  return queryOptions({
    queryKey: ['links', 'state-counts', filters],
    queryFn: ({ signal }) =>
      call<output<typeof linkCountsSchema>>('GET', '/short-link/counts', {
        query: { ...filters, by: 'state' },
        signal,
      }),
  });
}

/** A link with its ETag, by which a change can be refused that would overwrite another one. */
export function linkQuery(id: string) {
  return queryOptions({
    queryKey: ['links', 'one', id],
    queryFn: ({ signal }) => callTagged<ShortLink>('GET', '/short-link/{id}', { params: { id }, signal }),
  });
}

/** Makes a link. @param intent one key for each time that the person means it. */
export function createLink(body: Record<string, unknown>, intent: string): Promise<ChangedLink> {
  return call<ChangedLink>('POST', '/short-link', { body, idempotencyKey: intent });
}

/** Makes up to 100 links. @returns what became of each, in their order. */
export async function createLinks(
  links: readonly Record<string, unknown>[],
  intent: string,
): Promise<readonly BulkRow[]> {
  const { results } = await call<{ results: BulkRow[] }>('POST', '/short-link/bulk', {
    body: { links },
    idempotencyKey: intent,
  });
  return results;
}

/** Changes fields of a link. @param ifMatch the ETag of what the person saw; the call is refused where the link changed since. */
export function updateLink(id: string, patch: LinkPatch, ifMatch?: string): Promise<Tagged<ChangedLink>> {
  return callTagged<ChangedLink>('PATCH', '/short-link/{id}', {
    params: { id },
    body: patch,
    ...(ifMatch === undefined ? {} : { ifMatch }),
  });
}

/** Changes up to 100 links in the same way. */
export async function updateLinks(ids: readonly string[], change: LinkPatch): Promise<readonly BulkRow[]> {
  const { results } = await call<{ results: BulkRow[] }>('PATCH', '/short-link/bulk', { body: { ids, change } });
  return results;
}

/** Changes up to 100 links, each in its own way. */
export async function updateEachLink(links: readonly (LinkPatch & { id: string })[]): Promise<readonly BulkRow[]> {
  const { results } = await call<{ results: BulkRow[] }>('PATCH', '/short-link/bulk', { body: { links } });
  return results;
}

/** Deletes up to 100 links. */
export async function deleteLinks(ids: readonly string[]): Promise<readonly BulkRow[]> {
  const { results } = await call<{ results: BulkRow[] }>('DELETE', '/short-link/bulk', { body: { ids } });
  return results;
}

/** Ids of all links that filters find, page by page. */
export async function* readLinkIds(filters: LinkFilters, signal?: AbortSignal): AsyncGenerator<readonly string[]> {
  for await (const links of readLinks(filters, {}, signal)) yield links.map(({ id }) => id);
}

/** All links that filters find, page by page. @param extra what the rows have beside. */
export async function* readLinks(
  filters: LinkFilters,
  extra: { withQrCodeTemplate?: boolean; view?: 'full' },
  signal?: AbortSignal,
): AsyncGenerator<LinkPage['data']> {
  let cursor: string | undefined;
  do {
    const query = {
      ...filters,
      ...extra,
      limit: 50,
      sortBy: 'createdAt',
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = await call<LinkPage>('GET', '/short-link/list', {
      query,
      ...(signal === undefined ? {} : { signal }),
    });
    yield page.data;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** The links that filters find as CSV, archived ones too. */
export async function exportLinks(filters: LinkFilters, signal: AbortSignal): Promise<string> {
  const csv = await call<Blob>('GET', '/short-link/export', { query: { ...filters }, signal });
  return csv.text();
}

/** How often this person made or deleted links: the list shows these at once, and those of others on demand. */
export const ownChangesQuery = queryOptions({
  queryKey: ['own-changes'],
  queryFn: () => 0,
  initialData: 0,
  staleTime: Infinity,
});

/** Reads lists of links again after the person made or deleted some. */
export async function refreshAfterOwnChange(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['links'] });
  queries.setQueryData(ownChangesQuery.queryKey, (before: number | undefined) => (before ?? 0) + 1);
}

/** The changes of a link, newest first. */
export function linkHistoryQuery(id: string) {
  return queryOptions({
    queryKey: ['links', 'history', id],
    queryFn: ({ signal }) => call<LinkHistoryPage>('GET', '/short-link/{id}/history', { params: { id }, signal }),
  });
}

/** Sets the fields of one change of a link back. */
export function undoChange(id: string, changeId: string): Promise<unknown> {
  return call('POST', '/short-link/{id}/history/{changeId}/undo', { params: { id, changeId } });
}

/** What a create or a change would answer. */
type CheckedLink = output<typeof checkedLinkSchema>;

/** What making a link, or changing one, would answer now. Nothing is written. */
export function checkLinkQuery(link: LinkPatch, id?: string) {
  return queryOptions({
    queryKey: ['links', 'check', id, link],
    staleTime: 10_000,
    retry: false,
    queryFn: async ({ signal }) => {
      const body = { link, ...(id === undefined ? {} : { id }) };
      const checked = await call<CheckedLink>('POST', '/short-link/check', { body, signal });
      const issues = checked.issues.map((issue) => ({ ...issue, message: refusalWords(issue.message) }));
      return { ...checked, issues };
    },
  });
}
