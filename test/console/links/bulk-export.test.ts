import { expect, test } from 'vitest';
import { exportSelected } from '#console/links/list/bulk/export.ts';
import { exportFilters } from '#console/links/search.ts';

test('the CSV of 300 selected links has 300 lines below one line of names', async () => {
  const ids = new Set(Array.from({ length: 300 }, (_value, index) => `id-${index}`));
  const { signal } = new AbortController();
  const csv = await exportSelected({ kind: 'rows', ids }, {}, signal, async ({ ids: asked = [], states }) => {
    expect(states).toContain('archived');
    return ['slug,title', ...asked.map((id: string) => `${id},"two\nlines"`), ''].join('\r\n');
  });
  expect(csv.match(/^id-\d+/gm)).toEqual([...ids]);
  expect(csv.match(/slug/g)).toHaveLength(1);
});

test('the CSV of the list leaves out what the list leaves out', () => {
  expect(exportFilters({ search: 'shoes' })).toEqual({ search: 'shoes', isArchived: false });
  expect(exportFilters({ states: ['archived', 'active'] })).toEqual({ states: ['archived', 'active'] });
});
