import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { linkLibraries } from '#scripts/embedded/postgres/postgres.ts';
import { makeFolder } from '#test/support/folders.ts';

let folder: string;
beforeEach(() => {
  folder = makeFolder();
  mkdirSync(join(folder, 'native', 'lib'), { recursive: true });
  writeFileSync(join(folder, 'native', 'lib', 'libpq.so.5.18'), 'library');
});

const list = (links: object[]): void =>
  writeFileSync(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));
const source = 'native/lib/libpq.so.5.18';

test('each link that the package lists leads to its library, also after a second start', () => {
  list([
    { source, target: 'native/lib/libpq.so' },
    { source, target: 'native/lib/libpq.so.5' },
  ]);
  linkLibraries(folder);
  linkLibraries(folder);
  for (const name of ['libpq.so', 'libpq.so.5'])
    expect(readFileSync(join(folder, 'native', 'lib', name), 'utf8')).toBe('library');
});

test('a package without a list needs no links', () => {
  expect(() => linkLibraries(folder)).not.toThrow();
});

test('a link that cannot be made is an error', () => {
  list([
    { source, target: 'native/missing/libpq.so' },
    { source: 'native/missing/a', target: 'native/missing/b' },
  ]);
  expect(() => linkLibraries(folder)).toThrow('ENOENT');
});
