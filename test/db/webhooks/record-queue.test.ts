import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sql } from '#db/connection/database.ts';
import { createRecordQueue } from '#db/webhooks/record-queue.ts';
import type { EndedAttempt } from '#db/webhooks/records.ts';
import { attemptsOf, modelStanding, type Results } from '#test/core/webhooks/standing-model.ts';
import { createDelivery, createTestWebhook } from '#test/support/deliveries.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
const well = { isActive: true, failures: 0 };

/** Attempts with these results, each of a delivery of its own that a pump holds. */
async function attempt(webhookId: string, results: Results): Promise<EndedAttempt[]> {
  const attempts: EndedAttempt[] = [];
  for (const result of attemptsOf(results)) {
    const { id } = await createDelivery(db, webhookId, { claim: webhookId });
    attempts.push({ ...result, id, durationMs: 1 });
  }
  return attempts;
}

/** A queue, and the names of the statements that it has run. `refuse` fails statements of that name. */
function createQueue(refuse?: string) {
  const ran: string[] = [];
  const sql: Sql = {
    query: async (query: Parameters<Sql['query']>[0], values?: unknown[]) => {
      const name = typeof query === 'string' ? query : query.name!;
      ran.push(name);
      if (name === refuse) throw new Error('away');
      return db.query(query, values);
    },
  };
  const queue = createRecordQueue(sql, [60_000]);
  const record = (webhookId: string, attempts: readonly EndedAttempt[], before = well) =>
    queue({ webhookId, claim: webhookId }, attempts, before);
  return { ran, record };
}

const together = 'attempts_record skips locked';
const alone = 'attempts_record waits';

async function readFailures(ids: readonly string[]): Promise<number[]> {
  const { rows } = await db.query<{ id: string; failures: number }>(
    'select id, consecutive_failures as failures from webhooks where id = any($1::uuid[])',
    [ids],
  );
  return ids.map((id) => rows.find((row) => row.id === id)!.failures);
}

async function readStatuses(attempts: readonly EndedAttempt[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string; status: string; made: number }>(
    `select id, status, (select count(*) from delivery_attempts where delivery_id = d.id) as made
     from deliveries d where id = any($1::uuid[]) and claim is null and attempts = 1`,
    [attempts.map(({ id }) => id)],
  );
  expect(rows.every(({ made }) => made === 1)).toBe(true);
  return attempts.map(({ id }) => rows.find((row) => row.id === id)?.status ?? 'unrecorded');
}

test('whatever pumps record at a time, each webhook and each of its deliveries stands as the model says', async () => {
  const standing = fc.record({ isActive: fc.boolean(), failures: fc.nat({ max: 17 }) });
  const results = fc.array(fc.constantFrom('S', 'F', 'F', 'F', 'G'), { minLength: 1, maxLength: 6 });
  const pump = fc.record({ before: standing, believed: fc.option(standing), results });
  await fc.assert(
    fc.asyncProperty(fc.array(pump, { minLength: 1, maxLength: 6 }), async (pumps) => {
      const { record } = createQueue();
      const made = [];
      for (const { before, believed, results: letters } of pumps) {
        const id = await createTestWebhook(db, before);
        made.push({ id, before, believed, letters, attempts: await attempt(id, letters.join('')) });
      }
      const recorded = await Promise.all(
        made.map(({ id, attempts, before, believed }) => record(id, attempts, believed ?? before)),
      );
      for (const [index, { id, before, letters, attempts }] of made.entries()) {
        const { isActive, failures } = modelStanding(before, letters.join(''));
        expect(recorded[index]).toMatchObject({ isActive, failures, isOn: isActive });
        expect(await readFailures([id])).toEqual([failures]);
        expect(await readStatuses(attempts)).toEqual(
          letters.map((letter) => (letter === 'S' ? 'delivered' : isActive ? 'pending' : 'held')),
        );
      }
    }),
    { numRuns: 30 },
  );
});

test('pumps that record in the same turn of the event loop share a statement', async () => {
  const { ran, record } = createQueue();
  const ids = [await createTestWebhook(db), await createTestWebhook(db), await createTestWebhook(db)];
  const attempts = await Promise.all(ids.map((id) => attempt(id, 'SF')));
  await Promise.all(ids.map((id, index) => record(id, attempts[index]!)));
  expect(ran).toEqual([together]);
  expect(await readFailures(ids)).toEqual([1, 1, 1]);
});

test('two pumps of one webhook that record in the same turn both count', async () => {
  const { ran, record } = createQueue();
  const id = await createTestWebhook(db);
  const [first, second] = [await attempt(id, 'FFF'), await attempt(id, 'FFFF')];
  await Promise.all([record(id, first), record(id, second)]);
  expect(await readFailures([id])).toEqual([7]);
  expect(await readStatuses([...first, ...second])).toEqual(Array(7).fill('pending'));
  expect(ran[0]).toBe(together);
});

test('a statement holds five hundred attempts at most, or those of one pump', async () => {
  const { ran, record } = createQueue();
  const ids = [await createTestWebhook(db), await createTestWebhook(db), await createTestWebhook(db)];
  const [delivery] = await attempt(ids[0]!, 'S');
  const many = (count: number) => Array.from({ length: count }, () => delivery!);
  await Promise.all([record(ids[0]!, many(501)), record(ids[1]!, many(300)), record(ids[2]!, many(200))]);
  expect(ran).toEqual([together, together]);
});

test('a webhook that another transaction has locked delays the record of no other one', async () => {
  const { ran, record } = createQueue();
  const [locked, free] = [await createTestWebhook(db), await createTestWebhook(db)];
  const [late, early] = [await attempt(locked, 'F'), await attempt(free, 'F')];
  let recording: ReturnType<typeof record> | undefined;
  await db.transaction(async (tx) => {
    await tx.query('select from webhooks where id = $1 for update', [locked]);
    recording = record(locked, late);
    expect(await record(free, early)).toMatchObject({ failures: 1 });
    expect(await readStatuses([...late, ...early])).toEqual(['unrecorded', 'pending']);
  });
  expect(await recording).toMatchObject({ failures: 1 });
  expect(await readStatuses(late)).toEqual(['pending']);
  expect(ran).toEqual([together, alone]);
});

test('after a shared statement that failed each pump records by one of its own', async () => {
  const { ran, record } = createQueue(together);
  const ids = [await createTestWebhook(db), await createTestWebhook(db)];
  const attempts = await Promise.all(ids.map((id) => attempt(id, 'S')));
  const recorded = await Promise.all(ids.map((id, index) => record(id, attempts[index]!)));
  expect(recorded).toMatchObject([{ failures: 0 }, { failures: 0 }]);
  expect(ran).toEqual([together, alone, alone]);
  expect(await readStatuses(attempts.flat())).toEqual(['delivered', 'delivered']);
});

test('a pump that no longer holds its deliveries records nothing, and the others beside it do', async () => {
  const { record } = createQueue();
  const [stopped, working] = [await createTestWebhook(db), await createTestWebhook(db)];
  const [lost, own] = [await attempt(stopped, 'F'), await attempt(working, 'F')];
  await db.query('update deliveries set claim = null where webhook_id = $1', [stopped]);
  expect(await Promise.all([record(stopped, lost), record(working, own)])).toMatchObject([undefined, { failures: 1 }]);
  expect(await readFailures([stopped, working])).toEqual([0, 1]);
});
