import { readColumnMeaning } from './column-meaning.ts';
import { columnName, formats, type ImportFormat } from './formats.ts';
import { archivedNames, clickNames, offNames, passwordNames, plainAliases, statusNames } from './protection.ts';

/**
 * Finds the columns that have the name of another before them, and that name, protect or limit links: only the first of a name is
 * read, and what the second one says must not be lost.
 */
export function findSecondColumns(format: ImportFormat, header: readonly string[]): number[] {
  const { destination, shortUrl = [], slug = [], domain = [] } = formats[format];
  const counts = new Set<string>([
    ...[destination, shortUrl, slug, domain, passwordNames, offNames, archivedNames, statusNames, clickNames].flat(),
    ...Object.entries(plainAliases).flatMap(([name, more]) => [columnName(name), ...more]),
  ]);
  const names = header.map(columnName);
  return [...names.keys()].filter((index) => {
    const name = names[index]!;
    return (
      name !== '' &&
      names.indexOf(name) < index &&
      (counts.has(name) || readColumnMeaning(header[index]!) !== undefined)
    );
  });
}
