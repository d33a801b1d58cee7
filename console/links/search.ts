import {
  countParameter,
  listParameter,
  type Parameters,
  textParameter,
  wordParameter,
  wordsParameter,
} from '#console/app/places/search.ts';
import type { LinkFilters } from '#console/api/links/links.ts';

/** States of links that lists are filtered by, as the API names them. */
export const filterStates = ['active', 'inactive', 'expired', 'capped', 'archived'] as const;
/** Orders of the list: a `-` before the name puts the largest first. */
export const linkSorts = [
  '-createdAt',
  'createdAt',
  '-updatedAt',
  '-clicks',
  'clicks',
  '-lastClickedAt',
  'expiresAt',
] as const;
export type LinkSort = (typeof linkSorts)[number];
export type FilterState = (typeof filterStates)[number];

export interface LinksSearch {
  q?: string;
  /** Names. */
  domain?: readonly string[];
  /** Ids. */
  folder?: readonly string[];
  /** Names. */
  tag?: readonly string[];
  state?: readonly FilterState[];
  sort?: LinkSort;
  page?: number;
  view?: 'table' | 'dense';
}

export const linksParameters: Parameters<LinksSearch> = {
  q: textParameter,
  domain: listParameter,
  folder: listParameter,
  tag: listParameter,
  state: wordsParameter(filterStates),
  sort: wordParameter(linkSorts),
  page: countParameter,
  view: wordParameter(['table', 'dense']),
};

/** The filters of the API for the parameters of the page. */
export function filtersOf({ q, domain, folder, tag, state }: LinksSearch): LinkFilters {
  return { search: q, domainNames: domain, folderIds: folder, tagNames: tag, states: state };
}

/** The filters of an export that has the rows of the list: lists leave archived links out, unless they are asked for. */
export function exportFilters(filters: LinkFilters): LinkFilters & { isArchived?: boolean } {
  return filters.states?.includes('archived') === true ? filters : { ...filters, isArchived: false };
}

/** The order of the API for a sort of the page. */
export function orderOf(sort: LinkSort): { sortBy: string; sortOrder: 'asc' | 'desc' } {
  const name = sort.replace('-', '');
  return { sortBy: name === 'clicks' ? 'currentClicks' : name, sortOrder: sort.startsWith('-') ? 'desc' : 'asc' };
}

const typed = /(?:^|\s)(tag|domain|state|folder):(?:"([^"]+)"|(\S+))/g;

/**
 * Reads a search as it was typed: `tag:spring state:expired shoes` has two filters and a text. A name with spaces stands in
 * quotation marks; an unknown state or folder is text. @param folders whose names `folder:` takes, in any case.
 */
export function readTypedSearch(
  text: string,
  search: LinksSearch,
  folders: readonly { id: string; name: string }[] = [],
): LinksSearch {
  const next: Record<string, unknown> = { ...search };
  const rest = text
    .replaceAll(typed, (whole, name: string, quoted: string | undefined, plain: string) => {
      const wanted = quoted ?? plain;
      const value =
        name === 'folder'
          ? folders.find((folder) => folder.name.toLowerCase() === wanted.toLowerCase())?.id
          : name === 'state'
            ? filterStates.find((state) => state === wanted)
            : wanted;
      if (value === undefined) return whole;
      next[name] = [...new Set([...((next[name] as readonly string[] | undefined) ?? []), value])];
      return ' ';
    })
    .trim()
    .replaceAll(/\s+/g, ' ');
  return { ...(next as LinksSearch), q: rest || undefined, page: undefined };
}
