import { expect, test } from 'vitest';
import { createVisitorKeyActivities } from '#activities/clicks/visitor-keys.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';

let nowMs = Date.UTC(2030, 0, 31, 12);
const db = useTestDatabase();

const keys = async (): Promise<Record<string, string>> => {
  const { rows } = await db.query<{ month: string; key: Buffer }>('select month, key from visitor_keys order by month');
  return Object.fromEntries(rows.map(({ month, key }) => [month, key.toString('hex')]));
};

test('keys are made a month ahead, kept as they are, and destroyed two days after their month (5.2)', async () => {
  const { destroyOldVisitorKeys, makeVisitorKeys } = createVisitorKeyActivities({ em: emOf(db), now: () => nowMs });
  const run = async (): Promise<string[]> => {
    const destroyed = await destroyOldVisitorKeys();
    await makeVisitorKeys();
    return destroyed;
  };
  expect(await run()).toEqual([]);
  const january = await keys();
  expect(Object.keys(january)).toEqual(['2030-01', '2030-02']);
  nowMs = Date.UTC(2030, 1, 2, 23);
  expect(await run()).toEqual([]);
  expect(await keys()).toMatchObject(january);
  nowMs = Date.UTC(2030, 1, 3);
  expect(await run()).toEqual(['2030-01']);
  const february = await keys();
  expect(Object.keys(february)).toEqual(['2030-02', '2030-03']);
  expect(february['2030-02']).toBe(january['2030-02']);
});
