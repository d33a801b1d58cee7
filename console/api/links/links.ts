import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { output } from 'zod';
import type { linkCountsSchema } from '#api/short-link/schema.ts';
import type { checkedLinkSchema } from '#api/short-link/check/schema.ts';
import { call, callTagged, type Tagged } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';
import { refusalWords } from '#console/api/refusal.ts';
import type { ChangedLink, LinkHistoryPage, LinkPage, ShortLink } from '#console/api/types.ts';

export interface LinkFilters {
  search?: string | undefined;
  domainNames?: readonly string[] | undefined;
  folderIds?: readonly string[] | undefined;
  tagIds?: readonly string[] | undefined;
  tagNames?: readonly string[] | undefined;
  states?: readonly string[] | undefined;
  ids?: readonly string[] | undefined;
}

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
  const query = { ...filters, ...paging };
  return readQuery<LinkPage>(['links', 'list', filters, paging], '/short-link/list', {
    query,
    placeholderData: keepPreviousData,
  });
}

/** How many links that filters find have each state. */
export function linkStateCountsQuery(filters: LinkFilters) {
  const query = { ...filters, by: 'state' };
  return readQuery<output<typeof linkCountsSchema>>(['links', 'state-counts', filters], '/short-link/counts', {
    query,
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

async function sendBulk(
  method: 'POST' | 'PATCH' | 'DELETE',
  body: object,
  intent?: string,
): Promise<readonly BulkRow[]> {
  const options = { body, idempotencyKey: intent };
  return (await call<{ results: BulkRow[] }>(method, '/short-link/bulk', options)).results;
}

/** Makes up to 100 links. @returns what became of each, in their order. */
export function createLinks(links: readonly Record<string, unknown>[], intent: string): Promise<readonly BulkRow[]> {
  return sendBulk('POST', { links }, intent);
}

/** Changes fields of a link. @param ifMatch the ETag of what the person saw; the call is refused where the link changed since. */
export function updateLink(id: string, patch: LinkPatch, ifMatch?: string): Promise<Tagged<ChangedLink>> {
  return callTagged<ChangedLink>('PATCH', '/short-link/{id}', {
    params: { id },
    body: patch,
    ifMatch,
  });
}

/** Changes up to 100 links in the same way. */
export function updateLinks(ids: readonly string[], change: LinkPatch): Promise<readonly BulkRow[]> {
  return sendBulk('PATCH', { ids, change });
}

/** Changes up to 100 links, each in its own way. */
export function updateEachLink(links: readonly (LinkPatch & { id: string })[]): Promise<readonly BulkRow[]> {
  return sendBulk('PATCH', { links });
}

/** Deletes up to 100 links. */
export function deleteLinks(ids: readonly string[]): Promise<readonly BulkRow[]> {
  return sendBulk('DELETE', { ids });
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
    const query = { ...filters, ...extra, limit: 50, sortBy: 'createdAt', cursor };
    const page = await call<LinkPage>('GET', '/short-link/list', { query, signal });
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
  return readQuery<LinkHistoryPage>(['links', 'history', id], '/short-link/{id}/history', { params: { id } });
}

/** Sets the fields of one change of a link back. */
export function undoChange(id: string, changeId: string): Promise<unknown> {
  return call('POST', '/short-link/{id}/history/{changeId}/undo', { params: { id, changeId } });
}

type CheckedLink = output<typeof checkedLinkSchema>;

/** What making a link, or changing one, would answer now. Nothing is written. */
export function checkLinkQuery(link: LinkPatch, id?: string) {
  return queryOptions({
    queryKey: ['links', 'check', id, link],
    staleTime: 10_000,
    retry: false,
    queryFn: async ({ signal }) => {
      const checked = await call<CheckedLink>('POST', '/short-link/check', { body: { link, id }, signal });
      const issues = checked.issues.map((issue) => ({ ...issue, message: refusalWords(issue.message) }));
      return { ...checked, issues };
    },
  });
}
