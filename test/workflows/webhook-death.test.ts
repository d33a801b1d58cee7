// @module-tag process
// @module-tag nightly

import { setTimeout } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { eventually } from '#test/support/eventually.ts';
import { makeFolder } from '#test/support/folders.ts';
import { recordHistory } from '#test/support/histories.ts';
import { createOwnedOrganization } from '#test/support/people.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createReceivers, type Receivers } from '#test/support/receivers.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { emitEvents, insertTestWebhook, startEndpoint } from '#test/support/webhook-stack.ts';
import { settledDeliveries } from '#test/support/webhook-views.ts';

const secretKey = 'a secret key of at least 32 characters';
const events = 400;
const answerAfterMs = 20;
const inFlight = 10;

const closing = new AsyncDisposableStack();
const temporal = temporalForTest();
const db = useTestDatabase({ onError: () => {} });
const folder = makeFolder();
let receivers: Receivers;
beforeAll(() => void (receivers = closing.adopt(createReceivers(), (all) => all.dispose())));
afterAll(() => closing.disposeAsync());

const startWorker = async () =>
  closing.use(
    await startProcess('worker', db.url, {
      SECRET_KEY: secretKey,
      TEMPORAL_TASK_QUEUE: temporal.taskQueue,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: receivers.caFile,
      WAYMARK_DATA_DIR: folder,
    }),
  );

test('a worker that is killed in the middle of a pump loses nothing: another one goes on', async () => {
  const endpoint = await startEndpoint(receivers);
  endpoint.answer = async (response) => {
    await setTimeout(answerAfterMs);
    response.writeHead(204).end();
  };
  const { id: organizationId } = await createOwnedOrganization(db);
  const { id } = await insertTestWebhook(db, createSealing([secretKey]), { url: endpoint.url, organizationId });
  const first = await startWorker();
  const ids = await emitEvents(db, events, organizationId);
  await eventually(
    () => endpoint.received.length,
    (count) => count >= events / 4,
  );
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
  expect(endpoint.received.length - events).toBeLessThanOrEqual(inFlight * 15);

  const connection = await Connection.connect({ address: temporal.address });
  closing.defer(() => connection.close());
  const client = new Client({ connection, namespace: temporal.namespace });
  await recordHistory('webhook-worker-death', client.workflow.getHandle(`webhook/${id}`));
});
