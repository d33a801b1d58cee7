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

const toLine = (text: string): string => text.replaceAll('\n', ' ');
