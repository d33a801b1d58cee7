import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';
import type { Folder, FolderPage, Tag, TagPage } from '#console/api/types.ts';
import type { UsableDomain } from './usable-domains.ts';

// Folders, tags and domains as choices of filters and forms.

/** The most folders or tags that the API lists at once. */
export const labelsPerPage = 50;
const staleTime = 30_000;
// A hundred folders and the default one, and room for larger plans.
const mostPages = 10;

/** Which of the two kinds of label is meant. */
export type LabelKind = 'folder' | 'tag';
interface LabelPages {
  folder: FolderPage;
  tag: TagPage;
}

interface LabelListOptions {
  search?: string;
  /** The first is 0. */
  page?: number;
  /** Whether rows have their numbers of links, which takes longer. */
  withCounts?: boolean;
}

/** Folders or tags whose name has a text, 50 a page. Old rows stay while another search loads. */
export function labelListQuery<K extends LabelKind>(
  kind: K,
  { search = '', page = 0, withCounts }: LabelListOptions = {},
) {
  const query = { search, page, limit: labelsPerPage, withCounts };
  return readQuery<LabelPages[K]>([`${kind}s`, query], `/${kind}/list`, {
    query,
    staleTime,
    placeholderData: keepPreviousData,
  });
}

/** All folders or tags of the organization, page after page, the first 500: a plan allows a hundred folders. */
function allLabelsQuery<K extends LabelKind>(kind: K) {
  return queryOptions({
    queryKey: [`${kind}s`, 'all'],
    staleTime,
    queryFn: async ({ signal }) => {
      const items: LabelPages[K]['data'][number][] = [];
      for (let page = 0, count = 1; items.length < count && page < mostPages; page += 1) {
        const query = { page, limit: labelsPerPage };
        const found = await call<LabelPages[K]>('GET', `/${kind}/list`, { query, signal });
        items.push(...found.data);
        count = found.count;
      }
      return items;
    },
  });
}

export const allFoldersQuery = allLabelsQuery('folder');
export const allTagsQuery = allLabelsQuery('tag');

/** All domains of the organization and the platform. */
export const usableDomainsQuery = readQuery<UsableDomain[]>(['domains', 'all'], '/domain/all', { staleTime });

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
