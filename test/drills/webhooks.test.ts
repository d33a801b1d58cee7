// @module-tag process
// @module-tag nightly

import { setTimeout } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { maxOpen } from '#core/webhooks/standing.ts';
import { createDatabase } from '#db/connection/database.ts';
import { eventually } from '#test/support/eventually.ts';
import { makeFolder } from '#test/support/folders.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createReceivers, type Receivers } from '#test/support/receivers.ts';
import { createTestDatabase, temporalForTest } from '#test/support/stack.ts';
import {
  emitEvents,
  type Endpoint,
  insertTestWebhook,
  settledDeliveries,
  startEndpoint,
} from '#test/support/webhook-stack.ts';
import { createOwnedOrganization } from '#test/support/people.ts';

// Longer than Temporal's heartbeat timeout, so Temporal starts another attempt of the pump; shorter than an endpoint may take to answer.
const stoppedMs = 12_000;
const sealing = createSealing(['a secret key of at least 32 characters']);

const closing = new AsyncDisposableStack();
const folder = makeFolder();
let receivers: Receivers;
beforeAll(() => void (receivers = closing.adopt(createReceivers(), (all) => all.dispose())));
afterAll(() => closing.disposeAsync());

/** A webhook of an organization of its own, on a database and a task queue of its own, with workers in processes of their own. */
async function createScene(running: AsyncDisposableStack, endpoint: Endpoint) {
  const { url } = running.use(await createTestDatabase());
  const db = running.adopt(createDatabase({ url, onError: () => {} }), (pool) => pool.close());
  const { address, namespace, taskQueue } = temporalForTest();
  const connection = running.adopt(await Connection.connect({ address }), (open) => open.close());
  const { id: organizationId } = await createOwnedOrganization(db);
  const { id } = await insertTestWebhook(db, sealing, { url: endpoint.url, organizationId });
  const settings = {
    TEMPORAL_TASK_QUEUE: taskQueue,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: receivers.caFile,
    WAYMARK_DATA_DIR: folder,
  };
  return {
    db,
    id,
    client: new Client({ connection, namespace }),
    emit: (count: number) => emitEvents(db, count, organizationId),
    startWorker: async () => running.use(await startProcess('worker', url, settings)),
  };
}

/** A receiver that counts open requests, and leaves them without an answer until `speak`. */
async function startCounter(): Promise<{
  endpoint: Endpoint;
  open: () => number;
  most: () => number;
  speak: () => void;
}> {
  const endpoint = await startEndpoint(receivers);
  const spoken = Promise.withResolvers<void>();
  let open = 0;
  let most = 0;
  endpoint.answer = async (response) => {
    most = Math.max(most, (open += 1));
    const closed = Promise.withResolvers<void>();
    response.once('close', closed.resolve);
    await Promise.race([spoken.promise, closed.promise]);
    // Before the answer, which may bring the next request.
    open -= 1;
    response.writeHead(204).end();
  };
  return { endpoint, open: () => open, most: () => most, speak: spoken.resolve };
}

/** The process that sends for a webhook: Temporal knows the worker that has the task of its workflow. */
async function senderOf(client: Client, webhookId: string): Promise<number> {
  const { raw } = await client.workflow.getHandle(`webhook/${webhookId}`).describe();
  return Number(raw.pendingActivities?.[0]?.lastWorkerIdentity?.split('@')[0]);
}

// At the same time: most of each is the time for which a worker is stopped.
test.concurrent.each([
  ['whose task another worker takes meanwhile', 2],
  ['that is alone', 1],
])(
  'a worker %s is stopped for 12 s, with requests open: never more than ten are open, and none goes out twice',
  async (_, workers) => {
    await using running = new AsyncDisposableStack();
    const { endpoint, open, most, speak } = await startCounter();
    const { db, id, client, emit, startWorker } = await createScene(running, endpoint);
    const pids = await Promise.all(Array.from({ length: workers }, async () => (await startWorker()).pid));
    const ids = await emit(100);
    await eventually(open, (requests) => requests === maxOpen);
    const pid = await senderOf(client, id);
    expect(pids).toContain(pid);
    process.kill(pid, 'SIGSTOP');
    try {
      await setTimeout(stoppedMs);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    // The open requests stay open until the worker continues.
    await setTimeout(2_000);
    speak();
    const rows = await settledDeliveries(db, id, ids.length);
    expect(rows.every(({ status }) => status === 'delivered')).toBe(true);
    expect(rows.every(({ attempts }) => attempts === 1)).toBe(true);
    expect(most()).toBe(maxOpen);
    expect(endpoint.received).toHaveLength(ids.length);
  },
);

test('a worker that is killed in the middle of a pump loses nothing: another one goes on', async () => {
  await using running = new AsyncDisposableStack();
  const events = 400;
  const endpoint = await startEndpoint(receivers);
  endpoint.answer = async (response) => {
    await setTimeout(20);
    response.writeHead(204).end();
  };
  const { db, id, emit, startWorker } = await createScene(running, endpoint);
  const first = await startWorker();
  const ids = await emit(events);
  await eventually(() => endpoint.received.length >= events / 4);
  await first.kill();
  const claimed = await db.query('select from deliveries where webhook_id = $1 and claim is not null', [id]);
  expect(claimed.rowCount).toBeGreaterThan(0);
  // As if the dead worker's lease were over.
  await db.query(`update webhooks set looked_at = now() - interval '37 seconds' where id = $1`, [id]);
  await startWorker();
  const rows = await settledDeliveries(db, id, events);
  expect(rows.every(({ status }) => status === 'delivered')).toBe(true);
  expect([...endpoint.accepted].toSorted()).toEqual(ids.toSorted());
  // Sent but not recorded: ten rounds of requests in the 200 ms of a pump's round, those under way, and those of one statement's time.
  expect(endpoint.received.length - events).toBeLessThanOrEqual(maxOpen * 15);
});
