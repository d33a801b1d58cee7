import { Client, Connection } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { temporalForTest } from '#test/support/stack.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { insertRow, secondsAgo } from '#test/support/rows.ts';

const cli = createCliFixture();

async function createWebhook(): Promise<string> {
  const { organization } = await cli.createOrganization();
  const { id } = await insertRow(cli.db, 'webhooks', {
    organization_id: organization.id,
    created_at: secondsAgo(40 * 86_400),
  });
  return id;
}

const recover = (id: string, since: string): string[] => ['webhooks', 'recover', '--webhook', id, '--since', since];

test('webhooks recover requests the missed events of any organization’s webhook', async () => {
  const id = await createWebhook();
  const since = new Date(Date.now() - 86_400_000).toISOString();
  const range = await cli.json(recover(id, since));
  expect(range).toEqual({ since, until: expect.any(String) });
  const { rows } = await cli.db.query('select since, until from webhook_recoveries where webhook_id = $1', [id]);
  expect(rows).toEqual([{ since: new Date(since), until: new Date(range.until) }]);
  expect((await cli.run(recover(id, since))).out).toContain(`from ${since}`);
});

test('webhooks recover refuses impossible requests', async () => {
  const id = await createWebhook();
  const since = new Date().toISOString();
  const tooFar = new Date(Date.now() - 31 * 86_400_000).toISOString();
  expect(await cli.run(recover(id, tooFar))).toMatchObject({ code: 2, err: expect.stringContaining('30 days') });
  expect(await cli.run(recover(id, 'yesterday'))).toMatchObject({ code: 2, err: expect.stringContaining('--since') });
  expect(await cli.run(recover('x', since))).toMatchObject({ code: 2, err: expect.stringContaining('--webhook') });
  expect(await cli.run(recover(uuidv7(), since))).toMatchObject({
    code: 1,
    err: 'This webhook does not exist.\n',
  });
  await cli.db.query('update webhooks set is_active = false where id = $1', [id]);
  expect(await cli.run(recover(id, since))).toMatchObject({ code: 2, err: expect.stringContaining('turn it on') });
});

test('webhooks list, deliveries, redeliver and enable serve any organization, and webhook is an alias of webhooks', async () => {
  const id = await createWebhook();
  await cli.db.query(
    `update webhooks set is_active = false, disabled_at = now(), disabled_reason = 'failures', consecutive_failures = 18
     where id = $1`,
    [id],
  );
  const { webhooks } = await cli.json(['webhook', 'list', '--search', id]);
  expect(webhooks).toMatchObject([{ id, isActive: false, disabledReason: 'failures', consecutiveFailures: 18 }]);
  expect(JSON.stringify(webhooks)).not.toContain('secret');
  expect((await cli.run(['webhooks', 'list', '--search', id])).out).toMatch(/ off \(failures\) +18 /);
  await cli.db.query('update webhooks set is_active = true, consecutive_failures = 10 where id = $1', [id]);
  await createWebhook();
  const failing = (await cli.run(['webhooks', 'list', '--failing'])).out;
  const { rows: named } = await cli.db.query<{ name: string }>(
    'select o.name from organizations o join webhooks w on w.organization_id = o.id where w.id = $1',
    [id],
  );
  expect(failing.trim().split('\n').slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^ +${id} +${named[0]!.name} +failing +10 `)),
  ]);
  await cli.db.query('update webhooks set is_active = false, consecutive_failures = 18 where id = $1', [id]);

  const { id: deliveryId } = await createDelivery(cli.db, id, {
    status: 'failed',
    due_at: new Date(),
    response_code: 500,
    attempts: 6,
  });
  const redeliver = ['webhook', 'redeliver', '--webhook', id, '--delivery', deliveryId];
  expect((await cli.run([...redeliver.slice(0, -1), uuidv7()])).code).toBe(1);
  const { count, deliveries } = await cli.json(['webhook', 'deliveries', '--webhook', id, '--status', 'failed']);
  expect([count, deliveries]).toEqual([
    1,
    [expect.objectContaining({ id: deliveryId, responseCode: 500, attempts: 6 })],
  ]);
  expect((await cli.run(['webhook', 'deliveries', '--webhook', id])).out).toMatch(/ failed +500 +6 [\s\S]*1 of 1\n$/);
  expect((await cli.run(redeliver)).err).toContain('turn it on');

  expect((await cli.run(['webhook', 'enable', '--webhook', id])).out).toBe('The webhook is on.\n');
  expect((await cli.json(['webhook', 'list', '--search', id])).webhooks).toMatchObject([
    { isActive: true, consecutiveFailures: 0 },
  ]);
  expect(await cli.json(redeliver)).toEqual({ webhookId: id, deliveryId });
  const { rows } = await cli.db.query(
    `select status, (select count(*) from outbox where kind = 'webhook' and subject_id = $1) as named from deliveries where id = $2`,
    [id, deliveryId],
  );
  expect(rows).toEqual([{ status: 'pending', named: 1 }]);
  expect(await cli.run(['webhook', 'deliveries', '--webhook', uuidv7()])).toMatchObject({ code: 1 });
  const audit = await cli.db.query<{ action: string }>(
    `select action from audit_log where subject_id = $1 and details->>'outcome' = 'done' order by at`,
    [id],
  );
  expect(audit.rows.map(({ action }) => action)).toEqual(['webhooks enable', 'webhooks redeliver']);
});

test('webhooks pause and resume signal the workflow of a webhook', async () => {
  const id = await createWebhook();
  const { address, namespace, taskQueue } = temporalForTest();
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue };
  const connection = await Connection.connect({ address });
  expect((await cli.run(['webhook', 'pause', '--webhook', id], { env })).err).toBe('');
  const handle = new Client({ connection, namespace }).workflow.getHandle(`webhook/${id}`);
  const signals = async () => {
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
  };
  expect(await signals()).toEqual(['pause']);
  expect(await cli.json(['webhook', 'resume', '--webhook', id], { env })).toEqual({ webhookId: id, isPaused: false });
  expect(await signals()).toEqual(['pause', 'resume']);
  await handle.terminate();
  await connection.close();
  expect(await cli.run(['webhook', 'pause', '--webhook', uuidv7()], { env })).toMatchObject({
    code: 1,
    err: 'This webhook does not exist.\n',
  });
});
