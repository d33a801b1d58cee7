import { foldCase } from '#core/lib/fold-case.ts';

/** The text that searches of links look in: slug, short URL, destination and title, case-folded (3.9). */
export function searchText({
  slug,
  originUrl,
  destination,
  title,
}: {
  slug: string;
  originUrl: string;
  destination: string;
  title: string | null;
}): string {
  // Search terms hold no line feed: no term matches across two fields.
  return foldCase([slug, originUrl, destination, toLine(title ?? '')].join('\n'));
}

/** A search term in the form of `searchText`. */
export function searchTerm(search: string): string {
  return foldCase(toLine(search));
}

const toLine = (text: string): string => text.replaceAll('\n', ' ');
