import { expect, test } from 'vitest';
import { ApiError } from '#console/api/error.ts';
import { runBulk, type BulkProgress } from '#console/links/list/bulk/run.ts';

const ids = Array.from({ length: 250 }, (_value, index) => `id-${index}`);
const selection = { kind: 'rows', ids: new Set(ids) } as const;

test('links are changed in hundreds, with progress, and failed rows keep their reasons', async () => {
  const sizes: number[] = [];
  const seen: BulkProgress[] = [];
  const result = await runBulk({
    selection,
    filters: {},
    signal: new AbortController().signal,
    onProgress: (progress) => seen.push(progress),
    change: async (part) => {
      sizes.push(part.length);
      return part.map((id) =>
        id === 'id-7'
          ? {
              status: 400,
              error: { code: 'VALIDATION_ERROR', message: 'no', issues: [{ path: 'tags', message: 'too many' }] },
            }
          : { status: 200 },
      );
    },
  });
  expect(sizes).toEqual([100, 100, 50]);
  expect(seen.map(({ done, all }) => [done, all])).toEqual([
    [0, 250],
    [100, 250],
    [200, 250],
    [250, 250],
  ]);
  expect(result.failed).toEqual([{ id: 'id-7', reason: 'Tags: Too many' }]);
});

test('a hundred that the API refuses whole is reported row by row, and the next ones go on', async () => {
  let calls = 0;
  const result = await runBulk({
    selection,
    filters: {},
    signal: new AbortController().signal,
    onProgress: () => {},
    change: async (part) => {
      calls += 1;
      if (calls === 2) throw new ApiError(503, { code: 'SERVICE_UNAVAILABLE', message: 'later' });
      return part.map(() => ({ status: 200 }));
    },
  });
  expect(result.done).toBe(250);
  expect(result.failed).toHaveLength(100);
  expect(result.failed[0]).toEqual({ id: 'id-100', reason: 'Later' });
});

test('Stop ends after the hundred that is under way', async () => {
  const stopper = new AbortController();
  const result = await runBulk({
    selection,
    filters: {},
    signal: stopper.signal,
    onProgress: () => {},
    change: async (part) => {
      stopper.abort();
      return part.map(() => ({ status: 200 }));
    },
  });
  expect(result.done).toBe(100);
});
