import { expect, test } from 'vitest';
import { mergeLabels } from '#console/organize/labels/merge.ts';

/** Links by id with their tags, changed as the API changes them. */
function createLinks(tagsById: Record<string, string[]>, { refused = [] as string[] } = {}) {
  const links = new Map(Object.entries(tagsById).map(([id, tags]) => [id, new Set(tags)]));
  const deleted: string[] = [];
  return {
    links,
    deleted,
    tagsOf: (id: string) => [...(links.get(id) ?? [])],
    calls: {
      async *readLinkIds({ tagIds = [] }: { tagIds?: readonly string[] | undefined }) {
        yield [...links].flatMap(([id, tags]) => (tagIds.some((tag) => tags.has(tag)) ? [id] : []));
      },
      updateLinks: async (
        ids: readonly string[],
        change: { addTagIds?: readonly string[]; removeTagIds?: readonly string[] },
      ) =>
        ids.map((id) => {
          if (refused.includes(id)) return { status: 403, error: { code: 'FORBIDDEN', message: 'is not yours' } };
          for (const tag of change.addTagIds ?? []) links.get(id)?.add(tag);
          for (const tag of change.removeTagIds ?? []) links.get(id)?.delete(tag);
          return { status: 200 };
        }),
      deleteLabel: async (_kind: string, id: string) => void deleted.push(id),
    },
  };
}

const run = {
  kind: 'tag' as const,
  from: 'old',
  into: 'new',
  onProgress: () => {},
  signal: new AbortController().signal,
};

test('links get the other tag in place of the merged one, which is deleted then', async () => {
  const { calls, tagsOf, deleted } = createLinks({ a: ['old', 'kept'], b: ['old', 'new'], c: ['kept'] });
  expect(await mergeLabels(run, calls)).toEqual({ kind: 'merged' });
  expect([tagsOf('a'), tagsOf('b'), tagsOf('c')]).toEqual([['kept', 'new'], ['new'], ['kept']]);
  expect(deleted).toEqual(['old']);
});

test('a tag that some link keeps is not deleted, and the reason is returned', async () => {
  const { calls, tagsOf, deleted } = createLinks({ a: ['old'], b: ['old'] }, { refused: ['b'] });
  expect(await mergeLabels(run, calls)).toEqual({ kind: 'failed', failed: [{ id: 'b', reason: 'Is not yours' }] });
  expect([tagsOf('a'), tagsOf('b')]).toEqual([['new'], ['old']]);
  expect(deleted).toEqual([]);
});

test('a link that gets the tag during the merge is merged too', async () => {
  const { calls, links, tagsOf, deleted } = createLinks({ a: ['old'] });
  const updateLinks: typeof calls.updateLinks = async (ids, change) => {
    if (!links.has('late')) links.set('late', new Set(['old']));
    return calls.updateLinks(ids, change);
  };
  const seen: { done: number; all: number }[] = [];
  const result = await mergeLabels(
    { ...run, onProgress: ({ done, all }) => seen.push({ done, all }) },
    { ...calls, updateLinks },
  );
  expect(result).toEqual({ kind: 'merged' });
  expect(tagsOf('late')).toEqual(['new']);
  expect(seen.at(-1)).toEqual({ done: 2, all: 2 });
  expect(deleted).toEqual(['old']);
});

test('a stopped merge leaves the tag, and merging again finishes it', async () => {
  const ids = Array.from({ length: 150 }, (_value, index) => `link-${index}`);
  const { calls, links, deleted } = createLinks(Object.fromEntries(ids.map((id) => [id, ['old']])));
  const stopper = new AbortController();
  const stopped = await mergeLabels(
    { ...run, signal: stopper.signal, onProgress: ({ done }) => done > 0 && stopper.abort() },
    calls,
  );
  expect(stopped).toEqual({ kind: 'stopped' });
  expect([...links.values()].filter((tags) => tags.has('old'))).toHaveLength(50);
  expect(deleted).toEqual([]);
  expect(await mergeLabels(run, calls)).toEqual({ kind: 'merged' });
  expect([...links.values()].every((tags) => tags.has('new') && !tags.has('old'))).toBe(true);
});

test('links of a merged folder move to the other one, archived links too', async () => {
  const filters: object[] = [];
  const changes: object[] = [];
  const deleted: string[][] = [];
  const result = await mergeLabels(
    { ...run, kind: 'folder' },
    {
      async *readLinkIds(filter) {
        filters.push(filter);
        yield changes.length === 0 ? ['a'] : [];
      },
      updateLinks: async (ids, change) => {
        changes.push({ ids, change });
        return [{ status: 200 }];
      },
      deleteLabel: async (kind, id) => void deleted.push([kind, id]),
    },
  );
  expect(result).toEqual({ kind: 'merged' });
  expect(filters[0]).toEqual({ folderIds: ['old'], states: expect.arrayContaining(['active', 'archived']) });
  expect(changes).toEqual([{ ids: ['a'], change: { folderId: 'new' } }]);
  expect(deleted).toEqual([['folder', 'old']]);
});
