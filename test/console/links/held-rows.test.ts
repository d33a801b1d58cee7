import { expect, test } from 'vitest';
import { holdRows } from '#console/links/list/held-rows.ts';

const rows = (...ids: string[]) => ids.map((id) => ({ id, clicks: 0 }));

test('rows that new ones push on stay where they are, with their present numbers', () => {
  const fresh = [{ id: 'new', clicks: 0 }, { id: 'a', clicks: 7 }, ...rows('b')];
  expect(holdRows(rows('a', 'b', 'c'), fresh)).toEqual([{ id: 'a', clicks: 7 }, ...rows('b', 'c')]);
});

test('a page stays as it was where more links were made than it holds', () => {
  expect(holdRows(rows('a', 'b', 'c'), rows('x', 'y', 'z'))).toEqual(rows('a', 'b', 'c'));
});

test('a row that was deleted between others goes', () => {
  expect(holdRows(rows('a', 'b', 'c'), rows('new', 'a', 'c'))).toEqual(rows('a', 'c'));
});
