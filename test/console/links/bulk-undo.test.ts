import { expect, test } from 'vitest';
import { UndoableChange, undoOf } from '#console/links/list/bulk/undo.ts';
import type { LinkPatch } from '#console/api/links/links.ts';

const link = (id: string, rest: object = {}) => ({
  id,
  tags: [] as { id: string; name: string; color: string }[],
  isActive: true,
  isArchived: false,
  expiresAt: null as string | null,
  folder: { id: 'first' },
  destination: {
    type: 'link' as const,
    value: `https://example.com/${id}`,
    threatTypes: [],
    enableDeepLinking: false,
    iosDeepLink: null,
    androidDeepLink: null,
  },
  ...rest,
});
const spring = { id: 'tag', name: 'Spring', color: '#16A34A' };

test('a change is taken back where it changed something', () => {
  expect(undoOf({ addTags: ['spring'] }, link('a'))).toEqual({ removeTags: ['spring'] });
  expect(undoOf({ addTags: ['spring'] }, link('a', { tags: [spring] }))).toBeUndefined();
  expect(undoOf({ removeTags: ['spring'] }, link('a', { tags: [spring] }))).toEqual({ addTags: ['Spring'] });
  expect(undoOf({ removeTags: ['spring'] }, link('a'))).toBeUndefined();
  expect(undoOf({ folderId: 'other' }, link('a'))).toEqual({ folderId: 'first' });
  expect(undoOf({ isActive: true }, link('a'))).toBeUndefined();
  expect(undoOf({ expiresAt: '2027-01-01T00:00:00.000Z' }, link('a'))).toEqual({ expiresAt: null });
  const destination = { type: 'link', value: 'https://example.com/new' };
  const { threatTypes: _verdict, ...before } = link('a').destination;
  expect(undoOf({ destination }, link('a'))).toEqual({ destination: before });
  expect(
    undoOf({ utmSource: 'news', utmMedium: 'mail', utmTerm: null }, link('a', { utmSource: 'news', utmTerm: 'shoe' })),
  ).toEqual({ utmMedium: null, utmTerm: 'shoe' });
});

test('Undo gives every link what it had, in one call for a hundred links', async () => {
  const sent: (readonly LinkPatch[])[] = [];
  const links = [
    link('a'),
    link('b', { folder: { id: 'second' } }),
    link('c'),
    link('d'),
    link('e', { folder: { id: 'new' } }),
  ];
  const change = new UndoableChange(
    { folderId: 'new' },
    {
      readLinks: async (ids) => links.filter(({ id }) => ids.includes(id)),
      updateLinks: async (ids) =>
        ids.map((id) =>
          id === 'd' ? { status: 404, error: { code: 'NOT_FOUND', message: 'gone' } } : { status: 200 },
        ),
      updateEachLink: async (rows) => {
        sent.push(rows);
        return rows.map(() => ({ status: 200 }));
      },
    },
  );
  await change.send(['a', 'b', 'c']);
  await change.send(['d', 'e']);
  expect(await change.undo()).toEqual({ failed: 0, reason: '' });
  expect(sent).toEqual([
    [
      { id: 'a', folderId: 'first' },
      { id: 'b', folderId: 'second' },
      { id: 'c', folderId: 'first' },
    ],
  ]);
});
