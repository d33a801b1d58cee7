import { foldCase } from '#core/lib/text/fold-case.ts';
import { searchedValues } from './fields.ts';

/** The text that searches of links look in: slug, short URL, destination and searched plain fields, case-folded. */
export function searchText(
  link: { slug: string; originUrl: string; destination: string } & Parameters<typeof searchedValues>[0],
): string {
  const { slug, originUrl, destination } = link;
  // Search terms hold no line feed: no term matches across two fields.
  return foldCase(
    [slug, originUrl, destination, ...searchedValues(link).map((value) => toLine(value ?? ''))].join('\n'),
  );
}

/** A search term in the form of `searchText`. */
export function searchTerm(search: string): string {
  return foldCase(toLine(search));
}

/**
 * The term of an address beyond ASCII, a short URL or a part of one, as short URLs hold it: percent-encoded, its host in Punycode.
 * Undefined: the term is no such address.
 */
export function encodedSearchTerm(search: string): string | undefined {
  if (!/^[^/].*\//.test(search) || !beyondAscii.test(search)) return undefined;
  const scheme = /^https?:\/\//i.exec(search)?.[0] ?? '';
  const url = URL.parse(`http://${search.slice(scheme.length).normalize('NFC')}`);
  return url === null ? undefined : searchTerm(`${scheme}${url.href.slice('http://'.length)}`);
}

const beyondAscii = /[^ -~]/;

const toLine = (text: string): string => text.replaceAll('\n', ' ');
