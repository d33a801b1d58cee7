// @module-tag slow

import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { recoverWebhook } from '#commands/webhooks/sends.ts';
import { disabledFrom, failingFrom, maxOpen } from '#core/webhooks/standing.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import {
  bodySignature,
  readDeliveries,
  refuse,
  settledDeliveries,
  useWebhookStack,
} from '#test/support/webhook-stack.ts';

// Relay, activities and receivers together, without Temporal. What workflows do: `test/workflows/webhook.test.ts`.
const idsOf = (received: { headers: Record<string, unknown> }[]): string[] =>
  received.map(({ headers }) => String(headers['webhook-id'])).toSorted();

describe('a webhook', () => {
  const stack = useWebhookStack({ gapsMs: [20, 20, 20, 20, 20], probeDelaysMs: [10] });

  test('a webhook gets every event once, with both signatures and the stored bytes', async () => {
    const endpoint = await stack.endpoint();
    const { id, secret, organizationId } = await stack.webhook(endpoint.url);
    const ids = await stack.emit(250, organizationId);
    const rows = await settledDeliveries(stack.db, id, 250);
    for (const row of rows) expect(row).toMatchObject({ status: 'delivered', attempts: 1, responseCode: 204 });
    expect(idsOf(endpoint.received)).toEqual(ids.toSorted());
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
  });

  test('a receiver that is down gets 18 attempts and its owner two mails; once the webhook is turned on again, the receiver gets every event', async () => {
    const endpoint = await stack.endpoint();
    const { received } = endpoint;
    const { id, organizationId } = await stack.webhook(endpoint.url);
    const since = new Date();
    const early = await stack.emit(5, organizationId);
    await settledDeliveries(stack.db, id, 5);
    let open = 0;
    const openBeside: number[] = [];
    endpoint.answer = async (response) => {
      openBeside.push((open += 1));
      await setTimeout(30);
      open -= 1;
      refuse(500)(response);
    };
    const held = await stack.emit(40, organizationId);
    const rows = await settledDeliveries(stack.db, id, 45);
    expect(new Set(rows.slice(5).map(({ status }) => status))).toEqual(new Set(['held']));
    const off = await eventually(
      () => stack.hook(id),
      ({ toldAt }) => toldAt !== null,
    );
    expect(off).toMatchObject({ isActive: false, failures: disabledFrom, reason: 'consecutive_failures' });
    expect(received).toHaveLength(5 + disabledFrom);
    expect(openBeside.slice(failingFrom)).toEqual(Array(disabledFrom - failingFrom).fill(1));
    const [warning, end, ...others] = stack.mails.filter(({ text }) => text.includes(id));
    expect(others).toEqual([]);
    expect(warning!.messageId).toMatch(/^webhook-[0-9a-f-]+-failing-\d+@waymark$/);
    expect(end!.messageId).toMatch(/^webhook-[0-9a-f-]+-\d+@waymark$/);
    expect(end!.text).toContain('turned off at');
    for (const mail of [warning, end]) {
      expect(mail!.to).toBe(`owner-${organizationId}@test.example`);
      expect(mail!.text).toMatch(/last answered with status 500:\s+no/);
    }

    const missed = await stack.emit(10, organizationId);
    await eventually(async () => (await stack.db.query('select from event_queue')).rowCount === 0);
    endpoint.answer = (response) => void response.writeHead(204).end();
    await stack.update(id, { isActive: true });
    expect(received).toHaveLength(5 + disabledFrom);
    expect(await stack.hook(id)).toMatchObject({ isActive: true, failures: 0, reason: null });
    await emOf(stack.db).transactional((em) => recoverWebhook(em, 'staff', id, since, new Date()));
    stack.relay.wake();
    await settledDeliveries(stack.db, id, 55);
    expect(idsOf(received.slice(5 + disabledFrom))).toEqual([...held, ...missed].toSorted());
    expect([...endpoint.accepted].toSorted()).toEqual([...early, ...held, ...missed].toSorted());
  });

  test('a webhook that a member pauses keeps every event, and gets all of them once it goes on', async () => {
    const endpoint = await stack.endpoint();
    const { id, organizationId } = await stack.webhook(endpoint.url);
    await stack.update(id, { isPaused: true });
    const ids = await stack.emit(20, organizationId);
    await eventually(
      () => readDeliveries(stack.db, id),
      ({ length }) => length === 20,
    );
    expect(endpoint.received).toEqual([]);
    await stack.update(id, { isPaused: false });
    await settledDeliveries(stack.db, id, 20);
    expect(idsOf(endpoint.received)).toEqual(ids.toSorted());
  });
});

describe('a receiver that restarts', () => {
  // The schedule of the product, twenty times as fast.
  const secondMs = 1_000 / 20;
  const gapsMs = [12, 148, 1_808, 22_026, 86_400].map((seconds) => seconds * secondMs);
  const probeDelaysMs = [12, 60, 300].map((seconds) => seconds * secondMs);
  const stack = useWebhookStack({ gapsMs, probeDelaysMs });

  test(
    'a receiver that restarts for 13 s does not switch a busy webhook off, and gets everything',
    { tags: 'nightly' },
    async () => {
      const endpoint = await stack.endpoint();
      const { id, organizationId } = await stack.webhook(endpoint.url);
      const ids = await stack.emit(20, organizationId);
      await settledDeliveries(stack.db, id, 20);
      let downSinceMs: number | undefined;
      endpoint.answer = (response) => {
        downSinceMs ??= performance.now();
        const isDown =
          endpoint.received.length - endpoint.accepted.size <= failingFrom ||
          performance.now() - downSinceMs < 13 * secondMs;
        return isDown ? refuse(503)(response) : void response.writeHead(204).end();
      };
      // Busy: ten deliveries fail before any retry is due, and new events arrive all the time.
      for (let round = 0; round < 20; round += 1) {
        ids.push(...(await stack.emit(10, organizationId)));
        await setTimeout(50);
      }
      const rows = await settledDeliveries(stack.db, id, ids.length);
      expect(rows.every(({ status }) => status === 'delivered')).toBe(true);
      expect([...endpoint.accepted].toSorted()).toEqual(ids.toSorted());
      expect(await stack.hook(id)).toMatchObject({ isActive: true, failures: 0 });
      const failed = endpoint.received.length - ids.length;
      expect(failed).toBeGreaterThanOrEqual(failingFrom);
      expect(failed).toBeLessThan(disabledFrom);
    },
  );
});

describe('receivers beside others', () => {
  const gapsMs = Array.from({ length: 5 }, () => 600_000);
  const stack = useWebhookStack({ gapsMs, probeDelaysMs: gapsMs, timeoutMs: 600_000 });

  test('an endpoint that hangs and one that fails delay no other endpoint, even on the same host and port', async () => {
    const events = 40;
    const endpoint = await stack.endpoint();
    const hanging: ServerResponse[] = [];
    let isHanging = true;
    endpoint.answer = (response, { path }) => {
      if (path.endsWith('/fail')) refuse(500)(response);
      else if (path.endsWith('/hang') && isHanging) hanging.push(response);
      else response.writeHead(204).end();
    };
    const { id: hang, organizationId } = await stack.webhook(`${endpoint.url}/hang`);
    const add = async (path: string) => (await stack.webhook(`${endpoint.url}/${path}`, organizationId)).id;
    const [fail, ...well] = [await add('fail'), await add('well/1'), await add('well/2')];
    await stack.emit(events, organizationId);
    await eventually(() => hanging.length === maxOpen);
    for (const id of well) {
      const rows = await settledDeliveries(stack.db, id, events);
      for (const row of rows) expect(row).toMatchObject({ status: 'delivered', attempts: 1 });
    }
    await eventually(
      () => stack.hook(fail),
      ({ failures }) => failures === failingFrom,
    );
    expect(hanging).toHaveLength(maxOpen);
    isHanging = false;
    for (const response of hanging) response.writeHead(204).end();
    const rows = await settledDeliveries(stack.db, hang, events);
    for (const row of rows) expect(row).toMatchObject({ status: 'delivered', attempts: 1 });
  });
});
