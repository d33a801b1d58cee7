import { queryOptions } from '@tanstack/react-query';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';
import type { Folder, FolderPage, Tag, TagPage } from '#console/api/types.ts';

// Folders, tags and domains as choices of filters and forms.

/** The most folders or tags that the API lists at once. */
export const labelsPerPage = 50;
const staleTime = 30_000;
// A hundred folders and the default one, and room for larger plans.
const mostPages = 10;

interface LabelListOptions {
  search?: string;
  /** The first is 0. */
  page?: number;
  /** Whether rows have their numbers of links, which takes longer. */
  withCounts?: boolean;
}

/** Folders whose name has a text, 50 a page. */
export function folderListQuery({ search = '', page = 0, withCounts }: LabelListOptions = {}) {
  const query = { search, page, limit: labelsPerPage, withCounts };
  return readQuery<FolderPage>(['folders', query], '/folder/list', { query }, { staleTime });
}

/** Reads all pages of a list. */
async function readAll<Item>(read: (page: number) => Promise<{ count: number; data: Item[] }>): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 0, count = 1; items.length < count && page < mostPages; page += 1) {
    const found = await read(page);
    items.push(...found.data);
    count = found.count;
  }
  return items;
}

/** All folders of the organization: a plan allows a hundred. */
export const allFoldersQuery = queryOptions({
  queryKey: ['folders', 'all'],
  staleTime,
  queryFn: ({ signal }) =>
    readAll((page) => call<FolderPage>('GET', '/folder/list', { query: { page, limit: labelsPerPage }, signal })),
});

/** Tags of the organization, the first 500. */
export const allTagsQuery = queryOptions({
  queryKey: ['tags', 'all'],
  staleTime,
  queryFn: ({ signal }) =>
    readAll((page) => call<TagPage>('GET', '/tag/list', { query: { page, limit: labelsPerPage }, signal })),
});

/** Tags whose name has a text, 50 a page. */
export function tagListQuery({ search = '', page = 0, withCounts }: LabelListOptions = {}) {
  const query = { search, page, limit: labelsPerPage, withCounts };
  return readQuery<TagPage>(['tags', query], '/tag/list', { query }, { staleTime });
}

/** A domain that links can be on. */
export interface UsableDomain {
  id: string;
  domain: string;
  isPrimary: boolean;
  isVerified: boolean;
  /** Null for a domain of the platform. */
  createdAt: string | null;
}

/** All domains of the organization and the platform. */
export const usableDomainsQuery = readQuery<UsableDomain[]>(['domains', 'all'], '/domain/all', {}, { staleTime });

/** The domain on which links are made that name none, as the API chooses it: the own primary one once it is verified, else the platform's. */
export function defaultDomainOf<D extends Pick<UsableDomain, 'isPrimary' | 'isVerified' | 'createdAt'>>(
  domains: readonly D[],
): D | undefined {
  return (
    domains.find(({ isPrimary, isVerified, createdAt }) => createdAt !== null && isPrimary && isVerified) ??
    domains.find(({ createdAt }) => createdAt === null)
  );
}

/** Which of the two kinds of label is meant. */
export type LabelKind = 'folder' | 'tag';

/** Name and colour of a folder or tag. */
interface LabelFields {
  name: string;
  color: string;
}

/** Makes a folder or tag. @param intent one key for each time that the person means it. */
export function createLabel(kind: LabelKind, body: LabelFields, intent: string): Promise<Folder | Tag> {
  return call('POST', `/${kind}`, { body, idempotencyKey: intent });
}

/** Changes the sent fields of a folder or tag. */
export function updateLabel(kind: LabelKind, id: string, body: Partial<LabelFields>): Promise<Folder | Tag> {
  return call('PATCH', `/${kind}/{id}`, { params: { id }, body });
}

/** Deletes a folder, whose links move to the default one, or a tag, which its links lose. */
export function deleteLabel(kind: LabelKind, id: string): Promise<unknown> {
  return call('DELETE', `/${kind}/{id}`, { params: { id } });
}
