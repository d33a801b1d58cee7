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

const filterNames = ['tag', 'domain', 'state', 'folder'] as const;
export type FilterName = (typeof filterNames)[number];
const typed = /(?:^|\s)(\p{L}+):(?:"([^"]+)"|(\S+))/gu;
const lastTyped = /(?:^|\s)(\p{L}+):(\S*|"[^"]*"?)$/u;

/** What the person's language calls filters and states; a search takes these names beside those of the address, in any case. */
export type FilterWords = Record<FilterName, string> & { stateNames: Record<FilterState, string> };

/** What a typed search knows: the folders that `folder:` takes by their names, and the names of the person's language. */
interface Known {
  folders?: readonly { id: string; name: string }[] | undefined;
  words?: FilterWords;
}

const isSame = (one: string | undefined, other: string): boolean => one?.toLowerCase() === other.toLowerCase();

function filterNameOf(text: string, words: FilterWords | undefined): FilterName | undefined {
  return filterNames.find((name) => isSame(name, text) || isSame(words?.[name], text));
}

/** The value of the filter that a typed search ends in, as far as it is typed; undefined: it ends in none. */
export function lastFilter(text: string, words: FilterWords): string | undefined {
  const [, name = '', value] = lastTyped.exec(text) ?? [];
  return filterNameOf(name, words) === undefined ? undefined : value;
}

/**
 * Reads a search as it was typed: `tag:spring state:expired shoes` has two filters and a text. A name with spaces stands in
 * quotation marks; an unknown state or folder is text.
 */
export function readTypedSearch(text: string, search: LinksSearch, { folders = [], words }: Known = {}): LinksSearch {
  const next: Record<string, unknown> = { ...search };
  const rest = text
    .replaceAll(typed, (whole, typedName: string, quoted: string | undefined, plain: string) => {
      const name = filterNameOf(typedName, words);
      if (name === undefined) return whole;
      const wanted = quoted ?? plain;
      const value =
        name === 'folder'
          ? folders.find((folder) => isSame(folder.name, wanted))?.id
          : name === 'state'
            ? filterStates.find((state) => isSame(state, wanted) || isSame(words?.stateNames[state], wanted))
            : wanted;
      if (value === undefined) return whole;
      next[name] = [...new Set([...((next[name] as readonly string[] | undefined) ?? []), value])];
      return ' ';
    })
    .trim()
    .replaceAll(/\s+/g, ' ');
  return { ...(next as LinksSearch), q: rest || undefined, page: undefined };
}
