import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { output } from 'zod';
import type { importListSchema, importRowsSchema, importSchema } from '#api/import/schema.ts';
import type { ImportFormat } from '#core/imports/formats.ts';
import type { ImportState } from '#core/imports/states.ts';
import { addressOf, call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';
import type { LinkPage } from '#console/api/types.ts';

/** An import and its progress. */
export type Import = output<typeof importSchema>;
type ImportPage = output<typeof importListSchema>;
type RowPage = output<typeof importRowsSchema>;
export type ImportRow = RowPage['data'][number];
export type RowState = ImportRow['state'];

/** Imports or rows on a page of a list. */
export const importsPerPage = 20;
/** The most rows that the API lists at once. */
export const rowsPerPage = 50;
// Members watch what is under way.
const awaitedMs = 2_000;
const underWay = new Set<ImportState>(['pending', 'running', 'undoing']);
// A file of 20 MiB over a slow connection.
const uploadTimeoutMs = 10 * 60_000;

/** Whether an import, or its undo, is still going on. */
export function isUnderWay({ state }: Pick<Import, 'state'>): boolean {
  return underWay.has(state);
}

/** Imports, newest first. @param page the first is 0. */
export function importListQuery(page = 0) {
  const query = { page, limit: importsPerPage };
  return readQuery<ImportPage>(['imports', 'list', page], '/short-link/import/list', {
    query,
    refetchInterval: ({ state: { data } }) => (data?.data.some(isUnderWay) === true ? awaitedMs : 30_000),
    placeholderData: keepPreviousData,
  });
}

/** How many imports are not done: an organization may have three. */
export const unfinishedImportsQuery = readQuery<ImportPage>(['imports', 'unfinished'], '/short-link/import/list', {
  query: { states: ['pending', 'running'], limit: 0 },
  refetchInterval: 5_000,
});

export function importQuery(id: string) {
  return readQuery<Import>(['imports', 'one', id], '/short-link/import/{id}', {
    params: { id },
    refetchInterval: ({ state: { data } }) => (data !== undefined && isUnderWay(data) ? awaitedMs : 30_000),
  });
}

interface RowFilters {
  state?: RowState | undefined;
  /** The first is 0. */
  page: number;
}

/**
 * Handled rows of an import, in the order of the file, with the filters that they were read by.
 * @param done how many there are: new ones come while it runs.
 */
export function importRowsQuery(id: string, { state, page }: RowFilters, done: number) {
  return queryOptions({
    queryKey: ['imports', 'rows', id, state, page, done],
    queryFn: async ({ signal }) => ({ ...(await readRows(id, { state, page }, signal)), filters: { state, page } }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

export function readRows(id: string, { state, page }: RowFilters, signal?: AbortSignal) {
  const query = { state, page, limit: rowsPerPage };
  return call<RowPage>('GET', '/short-link/import/{id}/rows', { params: { id }, query, signal });
}

/** Links of rows, by their ids. @param removed how many links an undo has removed: it changes the answer. */
export function importedLinksQuery(ids: readonly string[], removed: number) {
  const query = { ids, limit: rowsPerPage };
  return readQuery<LinkPage>(['links', 'imported', ids, removed], '/short-link/list', {
    query,
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
}

interface NewImport {
  file: Blob;
  name: string;
  format: ImportFormat;
  domainId: string | undefined;
  folderId: string | undefined;
}

/** Sends a file whose rows become links. @param intent one key for each time that the person means it. */
export function startImport({ file, name, format, domainId, folderId }: NewImport, intent: string): Promise<Import> {
  const body = new FormData();
  body.append('format', format);
  if (domainId !== undefined) body.append('domainId', domainId);
  if (folderId !== undefined) body.append('folderId', folderId);
  body.append('file', file, name);
  return call<Import>('POST', '/short-link/import', { body, idempotencyKey: intent, timeoutMs: uploadTimeoutMs });
}

/** Ends an import; links that it made stay. */
export function cancelImport(id: string, intent: string): Promise<Import> {
  return call<Import>('POST', '/short-link/import/{id}/cancel', { params: { id }, idempotencyKey: intent });
}

/** Removes the links of an import. @param includeChanged also those that were clicked or edited since. */
export function undoImport(id: string, includeChanged: boolean, intent: string): Promise<Import> {
  return call<Import>('POST', '/short-link/import/{id}/undo', {
    params: { id },
    body: { includeChanged },
    idempotencyKey: intent,
  });
}

/** Address of a CSV of all links. */
export function exportAddress(): string {
  return addressOf('/short-link/export', { query: { bom: 1 } });
}
