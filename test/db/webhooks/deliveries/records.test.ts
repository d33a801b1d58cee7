import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { redeliver } from '#commands/webhooks/sends.ts';
import { updateWebhook } from '#commands/webhooks/webhooks.ts';
import { takePumpLease } from '#db/webhooks/deliveries/pump-lease.ts';
import { type EndedAttempt, recordAttempts } from '#db/webhooks/deliveries/records.ts';
import { attemptsOf, modelStanding, type Results } from '#test/core/webhooks/standing-model.ts';
import { createDelivery, createTestWebhook } from '#test/support/deliveries.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { isNight } from '#test/support/night.ts';

const db = useTestDatabase();
const probeDelaysMs = [60_000];

const createWebhook = (standing?: { isActive?: boolean; failures?: number }) => createTestWebhook(db, standing);

/** Attempts with these results, each of a delivery of its own that the pump holds. */
async function attempt(webhookId: string, pumpId: string, results: Results): Promise<EndedAttempt[]> {
  const attempts: EndedAttempt[] = [];
  for (const result of attemptsOf(results)) {
    const { id } = await createDelivery(db, webhookId, { claim: pumpId });
    attempts.push({ ...result, id, durationMs: 1, errorCode: null });
  }
  return attempts;
}

const record = (
  webhookId: string,
  pumpId: string,
  attempts: EndedAttempt[],
  before = { isActive: true, failures: 0 },
) => recordAttempts(db, { webhookId, pumpId, probeDelaysMs }, attempts, before);

async function read(webhookId: string) {
  const { rows } = await db.query<{ isActive: boolean; failures: number; disabledReason: string | null }>(
    `select is_active as "isActive", consecutive_failures as failures, disabled_reason as "disabledReason"
     from webhooks where id = $1`,
    [webhookId],
  );
  return rows[0]!;
}

async function statuses(attempts: readonly EndedAttempt[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string; status: string }>(
    'select id, status from deliveries where id = any($1::uuid[])',
    [attempts.map(({ id }) => id)],
  );
  return attempts.map(({ id }) => rows.find((row) => row.id === id)!.status);
}

test('any batch leaves the webhook and its deliveries as the model says, whatever the pump believed before', async () => {
  const standing = fc.record({ isActive: fc.boolean(), failures: fc.nat({ max: 17 }) });
  const results = fc.array(fc.constantFrom('S', 'F', 'F', 'F', 'G'), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(standing, standing, results, async (before, believed, letters) => {
      const webhookId = await createWebhook(before);
      const attempts = await attempt(webhookId, 'a', letters.join(''));
      const recorded = await record(webhookId, 'a', attempts, believed);
      const expected = modelStanding(before, letters.join(''));
      const { isActive, failures, disabledReason } = expected;
      expect(recorded).toMatchObject({ isActive, failures });
      expect(await read(webhookId)).toEqual({ isActive, failures, disabledReason });
      expect(await statuses(attempts)).toEqual(
        letters.map((letter) => (letter === 'S' ? 'delivered' : isActive ? 'pending' : 'held')),
      );
    }),
    { numRuns: isNight ? 40 : 10 },
  );
});

test('a batch that turns a webhook off writes webhook.disabled once, with the batch, and another record of it writes none', async () => {
  const webhookId = await createWebhook({ failures: 17 });
  const attempts = await attempt(webhookId, 'a', 'FF');
  await Promise.all([record(webhookId, 'a', attempts.slice(0, 1)), record(webhookId, 'a', attempts.slice(1))]);
  expect(await record(webhookId, 'a', attempts)).toBeUndefined();
  const { rows } = await db.query<{ body: string }>(
    `select body from events where type = 'webhook.disabled' and body like '%' || $1 || '%'`,
    [webhookId],
  );
  expect(rows.map(({ body }) => JSON.parse(body).data)).toEqual([
    { webhook: { id: webhookId, name: null, host: 'a.example', disabledReason: 'consecutive_failures' } },
  ]);
});

test('two pumps that record at the same moment both count', async () => {
  const webhookId = await createWebhook();
  const [first, second] = [await attempt(webhookId, 'a', 'FFF'), await attempt(webhookId, 'b', 'FFFF')];
  await Promise.all([record(webhookId, 'a', first), record(webhookId, 'b', second)]);
  expect(await read(webhookId)).toMatchObject({ failures: 7 });
  expect(await statuses([...first, ...second])).toEqual(Array(7).fill('pending'));
});

test('a record that waits for a call that turns the webhook off holds the deliveries and counts nothing', async () => {
  const webhookId = await createWebhook({ failures: 4 });
  const attempts = await attempt(webhookId, 'a', 'FSF');
  let recording: ReturnType<typeof record> | undefined;
  await emOf(db).transactional(async (em) => {
    await updateWebhook(em, 'staff', webhookId, { isActive: false }, { now: new Date() });
    recording = record(webhookId, 'a', attempts, { isActive: true, failures: 4 });
    const waiting = () => db.query(`select from pg_locks where not granted`);
    while ((await waiting()).rowCount === 0);
  });
  expect(await recording).toMatchObject({ isActive: false, failures: 4, changes: [] });
  expect(await read(webhookId)).toEqual({ isActive: false, failures: 4, disabledReason: 'turned_off' });
  expect(await statuses(attempts)).toEqual(['held', 'delivered', 'held']);
});

test('a delivery that is asked for again during its attempt is due again, unless the attempt turned the webhook off', async () => {
  const webhookId = await createWebhook({ failures: 16 });
  for (const [results, status] of [
    ['F', 'pending'],
    ['G', 'held'],
  ] as const) {
    const attempts = await attempt(webhookId, 'a', results);
    await emOf(db).transactional((em) => redeliver(em, 'staff', webhookId, attempts[0]!.id));
    await record(webhookId, 'a', attempts);
    expect(await statuses(attempts)).toEqual([status]);
  }
});

test('a pump whose deliveries were taken from it, or whose webhook is gone, records nothing', async () => {
  const webhookId = await createWebhook();
  const attempts = await attempt(webhookId, 'a', 'FF');
  await takePumpLease(db, { webhookId, pumpId: 'b' });
  expect(await record(webhookId, 'a', attempts)).toBeUndefined();
  expect(await read(webhookId)).toMatchObject({ failures: 0 });
  expect(await record(uuidv7(), 'a', attempts)).toBeUndefined();
});
