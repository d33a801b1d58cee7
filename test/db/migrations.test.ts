import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

/**
 * One line for each migration, `SHA-256 name`, in the order of their numbers; new ones go to the end. A migration that has landed is
 * never edited, since databases that have run it do not run it again: a mistake is mended by the next one.
 */
const landed = readFileSync('test/db/migrations.txt', 'utf8').trimEnd().split('\n');

test('no migration has changed since it landed', () => {
  const files = globSync('db/migrations/[0-9]*.{sql,ts}').toSorted();
  const present = files.map((file) => {
    const name = basename(file);
    return `${hash('sha256', `${name}\n${readFileSync(file, 'utf8')}`)} ${name}`;
  });
  // Where only the end differs, a migration is new: its line is added. Every other difference is an edit of one that has landed.
  expect(present).toEqual(landed);
});
