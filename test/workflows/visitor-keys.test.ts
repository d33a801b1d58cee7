import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VisitorKeysResult } from '#workflows/retired.ts';
import { recordHistory } from '#test/support/histories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { startTestWorker, type TestWorker } from '#test/support/test-worker.ts';

let worker: TestWorker;
let nowMs = Date.UTC(2030, 0, 31, 12);
const db = useTestDatabase();
beforeAll(async () => {
  worker = await startTestWorker({
    temporal: temporalForTest(),
    sql: db,
    scanner: { name: 'none', lookup: () => Promise.reject(new Error('not asked')), close: async () => {} },
    visitorKeys: { em: emOf(db), now: () => nowMs },
  });
});
afterAll(() => worker[Symbol.asyncDispose]());

const keys = async (): Promise<Record<string, string>> => {
  const { rows } = await db.query<{ month: string; key: Buffer }>('select month, key from visitor_keys order by month');
  return Object.fromEntries(rows.map(({ month, key }) => [month, key.toString('hex')]));
};
async function run(record?: string): Promise<VisitorKeysResult> {
  const { client, taskQueue } = worker;
  const handle = await client.workflow.start('visitorKeys', { taskQueue, workflowId: `visitor-keys-${uuidv7()}` });
  const result = (await handle.result()) as VisitorKeysResult;
  if (record !== undefined) await recordHistory(record, handle);
  return result;
}

test('keys are made a month ahead, kept as they are, and destroyed two days after their month (5.2)', async () => {
  expect(await run()).toEqual({ destroyed: [] });
  const january = await keys();
  expect(Object.keys(january)).toEqual(['2030-01', '2030-02']);
  nowMs = Date.UTC(2030, 1, 2, 23);
  expect(await run()).toEqual({ destroyed: [] });
  expect(await keys()).toMatchObject(january);
  nowMs = Date.UTC(2030, 1, 3);
  expect(await run('visitor-keys')).toEqual({ destroyed: ['2030-01'] });
  const february = await keys();
  expect(Object.keys(february)).toEqual(['2030-02', '2030-03']);
  expect(february['2030-02']).toBe(january['2030-02']);
});
