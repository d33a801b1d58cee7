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
import { emitEvents, type Endpoint, insertTestWebhook, startEndpoint } from '#test/support/webhook-stack.ts';
import { readDeliveries } from '#test/support/webhook-views.ts';
import { createOwnedOrganization } from '#test/support/people.ts';

// Longer than Temporal's heartbeat timeout, so Temporal starts another attempt of the pump; shorter than an endpoint may take to answer.
const stoppedMs = 12_000;
const sealing = createSealing(['a secret key of at least 32 characters']);

const closing = new AsyncDisposableStack();
const folder = makeFolder();
let receivers: Receivers;
beforeAll(() => void (receivers = closing.adopt(createReceivers(), (all) => all.dispose())));
afterAll(() => closing.disposeAsync());

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
    const { url } = running.use(await createTestDatabase());
    const db = running.adopt(createDatabase({ url, onError: () => {} }), (pool) => pool.close());
    const { address, namespace, taskQueue } = temporalForTest();
    const connection = running.adopt(await Connection.connect({ address }), (open) => open.close());
    const client = new Client({ connection, namespace });
    const { id: organizationId } = await createOwnedOrganization(db);
    const { endpoint, open, most, speak } = await startCounter();
    const { id } = await insertTestWebhook(db, sealing, { url: endpoint.url, organizationId });
    const startWorker = async () =>
      running.use(
        await startProcess('worker', url, {
          TEMPORAL_TASK_QUEUE: taskQueue,
          WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
          WEBHOOK_CA_FILE: receivers.caFile,
          WAYMARK_DATA_DIR: folder,
        }),
      ).pid;
    const pids = await Promise.all(Array.from({ length: workers }, () => startWorker()));
    const ids = await emitEvents(db, 100, organizationId);
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
    const rows = await eventually(
      () => readDeliveries(db, id),
      (all) => all.length === ids.length && all.every(({ status }) => status === 'delivered'),
    );
    expect(rows.every(({ attempts }) => attempts === 1)).toBe(true);
    expect(most()).toBe(maxOpen);
    expect(endpoint.received).toHaveLength(ids.length);
  },
);
