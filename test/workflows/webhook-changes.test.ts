// @module-tag slow

import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recoverWebhook } from '#commands/webhooks/sends.ts';
import { rotateSecret, updateWebhook } from '#commands/webhooks/webhooks.ts';
import { openWebhookSecret } from '#core/webhooks/signing.ts';
import { enqueue } from '#db/outbox.ts';
import { Webhook as WebhookEntity } from '#db/entities/webhooks.ts';
import { webhookStatusQuery } from '#workflows/webhook.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordHistory } from '#test/support/histories.ts';
import {
  bodySignature,
  type Received,
  refuse,
  startWebhookStack,
  type WebhookStack,
} from '#test/support/webhook-stack.ts';
import { createWebhookViews, readDeliveries, type WebhookViews } from '#test/support/webhook-views.ts';
import { readMetadata, timerSummaries } from '#test/support/workflow-metadata.ts';

// Long enough for two of them to be told apart, short enough to wait for.
const gapsMs = [100, 200, 300, 400, 500];
const staff = 'staff';

let stack: WebhookStack;
let views: WebhookViews;
beforeAll(async () => {
  stack = await startWebhookStack({ gapsMs, lingerMs: 0 });
  views = createWebhookViews(stack);
});
afterAll(() => stack[Symbol.asyncDispose]());

const now = (): { now: Date } => ({ now: new Date() });
const idOf = ({ headers }: Received): string => String(headers['webhook-id']);
// Longer than the test: failed deliveries are not retried while it runs.
const refuseForLong = refuse(503, { 'retry-after': '3600' });

describe('a webhook whose endpoint fails', () => {
  test('a failing webhook sends one delivery after each gap, and all deliveries after the first success', async () => {
    const endpoint = await stack.endpoint();
    const { received } = endpoint;
    const { id, organizationId } = await views.lone(endpoint.url);
    endpoint.answer = refuseForLong;
    await stack.emit(10, organizationId);
    await views.inState(id, 'failing');
    expect(received).toHaveLength(10);
    const sinceMs = received[9]!.atMs;

    const waiting = await stack.emit(40, organizationId);
    await eventually(
      () => received.length,
      (count) => count >= 13,
    );
    const { state, waiting: told, nextAt, lastFailure } = await views.inState(id, 'failing');
    expect({ state, told }).toEqual({ state: 'failing', told: 50 });
    expect(Date.parse(nextAt!)).toBeGreaterThan(Date.now() - 1_000);
    expect(lastFailure).toMatchObject({ code: 503, error: null });
    const { currentDetails, definition } = await readMetadata(views.handle(id));
    expect(currentDetails).toMatch(/- last failure, at \S+Z: status 503/);
    const signals = definition!.signalDefinitions!.filter(({ name }) => !name!.startsWith('__'));
    expect(signals.map(({ name }) => name).toSorted()).toEqual(['pause', 'progress', 'resume', 'wake']);
    for (const { description } of signals) expect(description).toMatch(/^[A-Z].*\.$/);
    expect(await timerSummaries(views.handle(id))).toContain('Until the next probe');
    endpoint.answer = (response) => void response.writeHead(200).end();
    const probes = received.slice(10, 13).map(({ atMs }) => atMs);
    for (const [index, atMs] of probes.entries()) {
      expect(atMs - (probes[index - 1] ?? sinceMs)).toBeGreaterThanOrEqual(gapsMs[index]! - 5);
    }
    const failed = new Set(received.slice(0, 13).map(idOf));
    const expected = waiting.filter((eventId) => !failed.has(eventId)).toSorted();
    expect(expected).toHaveLength(37);
    await eventually(
      () => endpoint.accepted.size,
      (size) => size === expected.length,
    );
    expect([...endpoint.accepted].toSorted()).toEqual(expected);
    // The other deliveries wait for the success of the probe.
    const [fourth, fifth] = received.slice(13).map(({ atMs }) => atMs);
    expect(fourth! - probes[2]!).toBeGreaterThanOrEqual(gapsMs[3]! - 5);
    expect(fifth).toBeGreaterThan(fourth!);
    const status = await views.inState(id, 'waiting');
    expect(status).toMatchObject({ delivered: 37, failed: 13, consecutiveFailures: 0, waiting: 13 });
    expect(await views.hook(id)).toMatchObject({ isActive: true, failures: 0 });
    const found = await eventually(
      () => stack.client.workflow.count(`webhookId = "${id}" and state = "waiting"`),
      ({ count }) => count === 1,
    );
    expect(found.count).toBe(1);
    await recordHistory('webhook-failing', views.handle(id));
  });
});

describe('a webhook that was turned off', () => {
  test('a webhook that is on again sends nothing until a request to recover, and then every event without a 2xx', async () => {
    const endpoint = await stack.endpoint();
    const { id, organizationId } = await views.lone(endpoint.url);
    const since = new Date();
    const early = await stack.emit(5, organizationId);
    await views.settled(id, 5);
    endpoint.answer = refuse(500);
    const held = await stack.emit(30, organizationId);
    await views.settled(id, 35);
    await views.inState(id, 'off');
    const missed = await stack.emit(10, organizationId);
    await eventually(
      async () => (await stack.db.query('select from event_queue')).rowCount,
      (count) => count === 0,
    );

    endpoint.answer = (response) => void response.writeHead(204).end();
    const sent = endpoint.received.length;
    await emOf(stack.db).transactional((em) => updateWebhook(em, staff, id, { isActive: true }, now()));
    stack.relay.wake();
    await views.inState(id, 'idle');
    expect(endpoint.received).toHaveLength(sent);
    expect(await views.hook(id)).toMatchObject({ isActive: true, failures: 0, reason: null });

    await emOf(stack.db).transactional((em) => recoverWebhook(em, staff, id, since, now()));
    stack.relay.wake();
    await views.settled(id, 45);
    const later = endpoint.received.slice(sent).map(idOf).toSorted();
    expect(later).toEqual([...held, ...missed].toSorted());
    expect([...endpoint.accepted].toSorted()).toEqual([...early, ...held, ...missed].toSorted());
    await views.inState(id, 'idle');
    await recordHistory('webhook-enabled-again', views.handle(id));
  });

  test('turning a webhook off by hand holds its waiting deliveries', async () => {
    const endpoint = await stack.endpoint();
    endpoint.answer = refuseForLong;
    const { id, organizationId } = await views.lone(endpoint.url);
    await stack.emit(3, organizationId);
    await views.inState(id, 'waiting');
    await emOf(stack.db).transactional((em) => updateWebhook(em, staff, id, { isActive: false }, now()));
    stack.relay.wake();
    await views.inState(id, 'off');
    const rows = await readDeliveries(stack.db, id);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['held', 1],
      ['held', 1],
      ['held', 1],
    ]);
  });
});

describe('a webhook that is paused', () => {
  test('a paused webhook keeps every event, its workflow sleeps, and all are sent once when it is resumed', async () => {
    const endpoint = await stack.endpoint();
    const { id, organizationId } = await views.lone(endpoint.url);
    const pause = async (isPaused: boolean): Promise<void> => {
      await emOf(stack.db).transactional((em) => updateWebhook(em, staff, id, { isPaused }, now()));
      stack.relay.wake();
    };
    const before = await stack.emit(5, organizationId);
    await views.settled(id, 5);
    await pause(true);
    await views.inState(id, 'paused');
    const meanwhile = [...(await stack.emit(20, organizationId)), ...(await stack.emit(15, organizationId))];
    const rows = await eventually(
      () => readDeliveries(stack.db, id),
      ({ length }) => length === 40,
    );
    expect(rows.filter(({ status }) => status === 'pending')).toHaveLength(35);
    await eventually(
      async () => (await stack.db.query('select from outbox where subject_id = $1', [id])).rowCount,
      (count) => count === 0,
    );
    expect(endpoint.received).toHaveLength(5);
    await views.inState(id, 'paused');
    await pause(false);
    await views.settled(id, 40);
    expect(endpoint.received.map(idOf).toSorted()).toEqual([...before, ...meanwhile].toSorted());
    await views.inState(id, 'idle');
  });
});

describe('a webhook whose secret is new', () => {
  test('deliveries are signed with the old and the new secret for a day, and then with the new secret alone', async () => {
    const endpoint = await stack.endpoint();
    const { id, secret, organizationId } = await views.lone(endpoint.url);
    await emOf(stack.db).transactional((em) => rotateSecret(em, staff, id, { sealing: stack.sealing, ...now() }));
    const { secretSealed } = (await emOf(stack.db).getRepository(WebhookEntity).findWithSecret(id))!;
    const next = openWebhookSecret(stack.sealing, id, secretSealed);
    expect(next).not.toBe(secret);
    const verifies = (key: string, { body, headers }: Received): boolean => {
      try {
        new Webhook(key).verify(body, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    await stack.emit(1, organizationId);
    await views.settled(id, 1);
    const [during] = endpoint.received;
    expect([verifies(secret, during!), verifies(next, during!)]).toEqual([true, true]);
    expect(String(during!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(during!.headers['x-service-signature']).toBe(bodySignature(next, during!.body));

    await stack.db.query('update webhooks set previous_secret_until = now() where id = $1', [id]);
    await stack.emit(1, organizationId);
    await views.settled(id, 2);
    const after = endpoint.received[1]!;
    expect([verifies(secret, after), verifies(next, after)]).toEqual([false, true]);
  });
});

describe('a webhook of an organization that is suspended', () => {
  test('a webhook of a suspended organization keeps new deliveries and sends them after the suspension', async () => {
    const endpoint = await stack.endpoint();
    const { id, organizationId } = await views.lone(endpoint.url);
    await stack.emit(1, organizationId);
    await views.settled(id, 1);
    await stack.db.query('update organizations set suspended_at = now() where id = $1', [organizationId]);
    await stack.emit(20, organizationId);
    await views.inState(id, 'paused');
    await setTimeout(200);
    expect(endpoint.received).toHaveLength(1);
    const rows = await readDeliveries(stack.db, id);
    expect(rows.filter(({ status }) => status === 'pending')).toHaveLength(20);
    await stack.db.query('update organizations set suspended_at = null where id = $1', [organizationId]);
    await enqueue(stack.db, 'webhook', [id]);
    stack.relay.wake();
    await views.settled(id, 21);
    expect(endpoint.accepted.size).toBe(21);
  });
});

describe('a webhook whose actor is lost', () => {
  test('a webhook whose actor is lost gets another within a minute, which sends the stored deliveries', async () => {
    const endpoint = await stack.endpoint();
    endpoint.answer = refuseForLong;
    const { id, organizationId } = await views.lone(endpoint.url);
    const ids = await stack.emit(5, organizationId);
    await views.inState(id, 'waiting');
    await views.handle(id).terminate('as if Temporal had been emptied');
    endpoint.answer = (response) => void response.writeHead(204).end();
    // As it is after a while.
    await stack.db.query(`update deliveries set due_at = now() - interval '11 seconds' where webhook_id = $1`, [id]);
    await stack.db.query(`update webhooks set looked_at = now() - interval '31 seconds' where id = $1`, [id]);
    await views.settled(id, 5);
    expect([...endpoint.accepted].toSorted()).toEqual(ids.toSorted());
    await views.inState(id, 'idle');
    expect(await views.handle(id).query(webhookStatusQuery)).toMatchObject({ delivered: 5, failed: 0 });
  });
});
