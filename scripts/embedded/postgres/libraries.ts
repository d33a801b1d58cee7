import { readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Links that the package lists, by paths below its folder. */
type LibraryLinks = readonly { source: string; target: string }[];

/**
 * Makes the links by which PostgreSQL's programs find their libraries. A package of npm holds no links; its install script, which
 * makes them, does not run where npm leaves install scripts out.
 * @param folder of the package for this platform.
 * @throws Error where a link is missing and the folder cannot be written.
 */
export function linkLibraries(folder: string): void {
  for (const { source, target } of readLinks(folder)) {
    try {
      symlinkSync(basename(source), join(folder, dirname(source), basename(target)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Packages whose programs need no links have no list. */
function readLinks(folder: string): LibraryLinks {
  try {
    return JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as LibraryLinks;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
