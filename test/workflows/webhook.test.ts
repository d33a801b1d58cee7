// @module-tag slow

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failingFrom } from '#core/webhooks/standing.ts';
import { webhookStatusQuery } from '#workflows/webhook.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordHistory } from '#test/support/histories.ts';
import { bodySignature, refuse, startWebhookStack, type WebhookStack } from '#test/support/webhook-stack.ts';
import { createOwnedOrganization } from '#test/support/people.ts';

let stack: WebhookStack;
beforeAll(async () => {
  stack = await startWebhookStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Row {
  status: string;
  attempts: number;
  responseCode: number | null;
  eventId: string;
}

async function deliveriesOf(webhookId: string): Promise<Row[]> {
  const { rows } = await stack.db.query<Row>(
    `select status, attempts, response_code as "responseCode", event_id as "eventId" from deliveries where webhook_id = $1 order by id`,
    [webhookId],
  );
  return rows;
}
async function hook(id: string) {
  const { rows } = await stack.db.query<{
    isActive: boolean;
    failures: number;
    reason: string | null;
    toldAt: Date | null;
  }>(
    `select is_active as "isActive", consecutive_failures as failures, disabled_reason as reason, told_at as "toldAt" from webhooks where id = $1`,
    [id],
  );
  return rows[0]!;
}
const settled = (id: string, count: number) =>
  eventually(
    () => deliveriesOf(id),
    (rows) => rows.length === count && rows.every(({ status }) => status !== 'pending'),
    20_000,
  );
/** A webhook of an organization of its own. */
async function lone(url: string) {
  const { id: organizationId } = await createOwnedOrganization(stack.db);
  return { organizationId, ...(await stack.webhook(url, { organizationId })) };
}
const handleOf = (id: string) => stack.client.workflow.getHandle(`webhook/${id}`);
const statusOf = (id: string) => handleOf(id).query(webhookStatusQuery);

describe('a webhook whose endpoint is well', () => {
  test('a webhook gets every event once, with both signatures and the stored bytes', async () => {
    const endpoint = await stack.endpoint();
    const { id, secret, organizationId } = await lone(endpoint.url);
    const ids = await stack.emit(250, organizationId);
    const rows = await settled(id, 250);
    expect(
      rows.every(
        ({ status, attempts, responseCode }) => status === 'delivered' && attempts === 1 && responseCode === 204,
      ),
    ).toBe(true);
    expect(endpoint.received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.toSorted());
    const { body, headers } = endpoint.received[0]!;
    expect(headers['x-service-signature']).toBe(bodySignature(secret, body));
    expect(headers['content-type']).toBe('application/json');
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      id: headers['webhook-id'],
      type: 'link.created',
    });
    const stored = await stack.db.query<{ body: string }>('select body from events where id = $1', [
      headers['webhook-id'],
    ]);
    expect(body).toBe(stored.rows[0]!.body);
    const status = await eventually(
      () => statusOf(id),
      ({ state }) => state === 'idle',
    );
    expect(status).toMatchObject({ delivered: 250, failed: 0, consecutiveFailures: 0, waiting: 0, nextAt: null });
    await recordHistory('webhook-well', handleOf(id));
  });

  test('a webhook gets only subscribed events of its own organization', async () => {
    const endpoint = await stack.endpoint();
    const { id: organizationId } = await createOwnedOrganization(stack.db);
    const { id } = await stack.webhook(endpoint.url, { organizationId, events: ['link.deleted'] });
    await stack.emit(3, organizationId);
    await stack.emit(3);
    await setTimeout(300);
    expect(await deliveriesOf(id)).toEqual([]);
  });

  test('a webhook is sent at most ten deliveries at once', async () => {
    const endpoint = await stack.endpoint();
    let open = 0;
    let most = 0;
    endpoint.answer = async (response) => {
      most = Math.max(most, (open += 1));
      await setTimeout(20);
      open -= 1;
      response.writeHead(200).end();
    };
    const { id, organizationId } = await lone(endpoint.url);
    await stack.emit(100, organizationId);
    await settled(id, 100);
    expect(most).toBe(10);
  });
});

describe('retries', () => {
  test('retries follow the gaps of the schedule with the same id and bytes, and end after six attempts', async () => {
    const endpoint = await stack.endpoint();
    endpoint.answer = refuse(500);
    const { id, organizationId } = await lone(endpoint.url);
    const [eventId] = await stack.emit(1, organizationId);
    expect(await settled(id, 1)).toEqual([{ status: 'failed', attempts: 6, responseCode: 500, eventId }]);
    expect(new Set(endpoint.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(endpoint.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([eventId]));
    const gaps = endpoint.received.slice(1).map(({ atMs }, index) => atMs - endpoint.received[index]!.atMs);
    for (const [index, wanted] of [100, 150, 200, 250, 300].entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(wanted - 2);
    }
    const { rows } = await stack.db.query<{ number: number; code: number; body: string; error: string | null }>(
      `select a.number, a.code, a.body, a.error from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.webhook_id = $1 order by 1`,
      [id],
    );
    expect(rows).toEqual(
      Array.from({ length: 6 }, (_, index) => ({ number: index + 1, code: 500, body: 'no', error: null })),
    );
    expect(await hook(id)).toMatchObject({ isActive: true, failures: 6 });
  });

  test('a retry waits as long as the receiver asks', async () => {
    const endpoint = await stack.endpoint();
    let isFirst = true;
    endpoint.answer = (response) => {
      if (!isFirst) return void response.writeHead(204).end();
      isFirst = false;
      return refuse(503, { 'retry-after': '1' })(response);
    };
    const { id, organizationId } = await lone(endpoint.url);
    await stack.emit(1, organizationId);
    expect((await settled(id, 1))[0]).toMatchObject({ status: 'delivered', attempts: 2, responseCode: 204 });
    expect(endpoint.received[1]!.atMs - endpoint.received[0]!.atMs).toBeGreaterThanOrEqual(999);
  });

  test.each([
    ['a redirect', 302],
    ['a client error', 404],
  ])('a retry follows %s too', async (_, code) => {
    const endpoint = await stack.endpoint();
    endpoint.answer = (response) =>
      endpoint.received.length > 1
        ? void response.writeHead(200).end()
        : refuse(code, { location: 'https://127.0.0.1:1/' })(response);
    const { id, organizationId } = await lone(endpoint.url);
    await stack.emit(1, organizationId);
    expect((await settled(id, 1))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });
});

describe('a webhook whose endpoint fails', () => {
  test('first attempts wait after ten failures, and all deliveries go out after a success', async () => {
    const endpoint = await stack.endpoint();
    endpoint.answer = refuse(500);
    const { id, organizationId } = await lone(endpoint.url);
    const ids = await stack.emit(60, organizationId);
    await eventually(
      () => endpoint.received.length,
      (count) => count >= failingFrom,
    );
    // The endpoint is well before the first retries: a short restart does not turn the webhook off.
    const sent = endpoint.received.length;
    endpoint.answer = (response) => void response.writeHead(200).end();
    await settled(id, 60);
    expect(sent).toBe(failingFrom);
    expect([...endpoint.accepted].toSorted()).toEqual(ids.toSorted());
    expect(await hook(id)).toMatchObject({ isActive: true, failures: 0 });
  });

  test('a webhook is turned off at 18 failures, holds its deliveries, and mails its owner once at 10 and once at the end', async () => {
    const endpoint = await stack.endpoint();
    endpoint.answer = refuse(500);
    const { id, organizationId } = await lone(endpoint.url);
    await stack.emit(40, organizationId);
    await settled(id, 40);
    const off = await eventually(
      () => hook(id),
      ({ toldAt }) => toldAt !== null,
    );
    expect(off).toMatchObject({ isActive: false, failures: 18, reason: 'consecutive_failures' });
    const rows = await deliveriesOf(id);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['held']));
    expect(endpoint.received).toHaveLength(18);
    const mails = await mailsAbout(id);
    expect(mails).toHaveLength(2);
    const [warning, end] = mails.toSorted(
      (a, b) => Number(a.includes('turned off at')) - Number(b.includes('turned off at')),
    );
    expect(warning).toMatch(/Message-ID:\s+<webhook-[0-9a-f-]+-failing-\d+@waymark>/);
    expect(end).toMatch(/Message-ID:\s+<webhook-[0-9a-f-]+-\d+@waymark>/);
    for (const mail of mails) {
      expect(mail).toContain(`To: owner-${organizationId}@test.example`);
      expect(mail).toMatch(/last answered with status 500:\s+no/);
    }
    // While it is off, no rows are made.
    await stack.emit(2, organizationId);
    await setTimeout(200);
    expect(await deliveriesOf(id)).toHaveLength(40);
    expect(await statusOf(id)).toMatchObject({ state: 'off', consecutiveFailures: 18 });
    await recordHistory('webhook-turned-off', handleOf(id));
  });

  test('HTTP 410 turns a webhook off at once', async () => {
    const endpoint = await stack.endpoint();
    endpoint.answer = refuse(410);
    const { id, organizationId } = await lone(endpoint.url);
    await stack.emit(1, organizationId);
    expect((await settled(id, 1))[0]).toMatchObject({ status: 'held', attempts: 1, responseCode: 410 });
    expect(await hook(id)).toMatchObject({ isActive: false, failures: 1, reason: 'gone' });
  });
});

describe('an operator', () => {
  test('an operator pauses and resumes an actor', async () => {
    const endpoint = await stack.endpoint();
    const { id, organizationId } = await lone(endpoint.url);
    await stack.emit(1, organizationId);
    await settled(id, 1);
    await handleOf(id).signal('pause');
    await eventually(
      () => statusOf(id),
      ({ state }) => state === 'stopped',
    );
    await stack.emit(3, organizationId);
    await setTimeout(300);
    expect(endpoint.received).toHaveLength(1);
    await handleOf(id).signal('resume');
    await settled(id, 4);
    expect(endpoint.accepted.size).toBe(4);
    await recordHistory('webhook-stopped', handleOf(id));
  });
});

describe('a webhook that is deleted', () => {
  test('deleting a webhook ends its actor', async () => {
    const endpoint = await stack.endpoint();
    const { id, organizationId } = await lone(endpoint.url);
    await stack.emit(1, organizationId);
    await settled(id, 1);
    await stack.db.query('update webhooks set deleted_at = now() where id = $1', [id]);
    await handleOf(id).signal('wake');
    expect(await handleOf(id).result()).toMatchObject({ delivered: 1 });
    await recordHistory('webhook-deleted', handleOf(id));
  });
});

async function mailsAbout(webhookId: string): Promise<string[]> {
  const names = (await readdir(stack.mailFolder)).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(names.map((name) => readFile(join(stack.mailFolder, name), 'utf8')));
  return mails.filter((mail) => mail.includes(webhookId));
}
