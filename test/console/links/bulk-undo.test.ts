import { expect, test } from 'vitest';
import { UndoableChange, undoOf } from '#console/links/list/bulk/undo.ts';
import type { LinkPatch } from '#console/api/links.ts';

const link = (id: string, rest: object = {}) => ({
  id,
  tags: [] as { id: string; name: string; color: string }[],
  isActive: true,
  isArchived: false,
  expiresAt: null as string | null,
  folder: { id: 'first' },
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
});

test('Undo gives every link what it had, by as few calls as there are former values', async () => {
  const sent: [readonly string[], LinkPatch][] = [];
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
      updateLinks: async (ids, patch) => {
        sent.push([ids, patch]);
        return ids.map((id) =>
          id === 'd' ? { status: 404, error: { code: 'NOT_FOUND', message: 'gone' } } : { status: 200 },
        );
      },
    },
  );
  await change.send(['a', 'b', 'c']);
  await change.send(['d', 'e']);
  expect(await change.undo()).toEqual({ failed: 0, reason: '' });
  expect(sent.slice(2)).toEqual([
    [['a', 'c'], { folderId: 'first' }],
    [['b'], { folderId: 'second' }],
  ]);
});
