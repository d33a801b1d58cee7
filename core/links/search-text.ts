import { foldCase } from '#core/lib/fold-case.ts';

/** What a search of links looks in: slug, short URL, destination and title, folded so that case does not matter (3.9). */
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
  // A term has no line feed, so that none matches across two of them.
  return foldCase([slug, originUrl, destination, toLine(title ?? '')].join('\n'));
}

/** What somebody searches for, in the form in which `searchText` would hold it. */
export function searchTerm(search: string): string {
  return foldCase(toLine(search));
}

const toLine = (text: string): string => text.replaceAll('\n', ' ');
