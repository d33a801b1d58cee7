import { expect, it } from 'vitest';
import { List, type Page, type PageQuery } from '#sdk/typescript/src/pages.ts';

const numbers = Array.from({ length: 7 }, (_, index) => index);

/** A list of seven items, and the queries that it was read with. */
function listOf(answer: (query: PageQuery) => Page<number>, query: PageQuery = {}) {
  const queries: PageQuery[] = [];
  const list = new List<Page<number>>(
    async (asked) => {
      queries.push(asked);
      return answer(asked);
    },
    query,
    3,
  );
  return { list, queries };
}
const byCursor = ({ cursor = '0', limit = 2 }: PageQuery): Page<number> => {
  const end = Number(cursor) + limit;
  return { data: numbers.slice(Number(cursor), end), nextCursor: end < numbers.length ? String(end) : null };
};
const byNumber = ({ page = 0, limit = 2 }: PageQuery): Page<number> => ({
  data: numbers.slice(page * limit, (page + 1) * limit),
  count: numbers.length,
});

it('await reads one page, as the query asks', async () => {
  const { list, queries } = listOf(byCursor);
  expect(await list).toEqual({ data: [0, 1], nextCursor: '2' });
  expect(queries).toEqual([{}]);
});

it('for await reads every item by cursors, in the largest pages', async () => {
  const { list, queries } = listOf(byCursor);
  expect(await Array.fromAsync(list)).toEqual(numbers);
  expect(queries).toEqual([{ limit: 3 }, { limit: 3, cursor: '3' }, { limit: 3, cursor: '6' }]);
});

it('pages are followed by their number where a list has no cursor', async () => {
  const { list, queries } = listOf(byNumber, { limit: 4 });
  expect((await Array.fromAsync(list.pages())).map(({ data }) => data)).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6],
  ]);
  expect(queries).toEqual([{ limit: 4 }, { limit: 4, page: 1 }]);
});

it('a list whose cursor never ends is read until it has no more', async () => {
  const { list } = listOf(() => ({ data: [1], nextCursor: 'end', hasMore: false }));
  expect(await Array.fromAsync(list)).toEqual([1]);
});

it('a loop that is left reads no further page', async () => {
  const { list, queries } = listOf(byCursor);
  for await (const item of list) if (item === 1) break;
  expect(queries).toHaveLength(1);
});
