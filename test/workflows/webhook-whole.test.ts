// @module-tag slow

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { recoverWebhook } from '#commands/webhooks/sends.ts';
import { updateWebhook } from '#commands/webhooks/webhooks.ts';
import { disabledFrom, failingFrom } from '#core/webhooks/standing.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { useFixture } from '#test/support/fixture.ts';
import { recordHistory } from '#test/support/histories.ts';
import { bodySignature, refuse, startWebhookStack } from '#test/support/webhook-stack.ts';
import { createWebhookViews } from '#test/support/webhook-views.ts';

// Relay, worker and receiver together. What workflows do by themselves: `webhook.test.ts`; what pumps do: `test/activities/webhooks`.
const stack = useFixture(() => startWebhookStack({ gapsMs: [20, 20, 20, 20, 20], probeDelaysMs: [10], lingerMs: 0 }));
const views = createWebhookViews(stack);

const idsOf = (received: { headers: Record<string, unknown> }[]): string[] =>
  received.map(({ headers }) => String(headers['webhook-id'])).toSorted();

test('a webhook gets every event once, with both signatures and the stored bytes', async () => {
  const endpoint = await stack.endpoint();
  const { id, secret, organizationId } = await views.lone(endpoint.url);
  const ids = await stack.emit(250, organizationId);
  const rows = await views.settled(id, 250);
  expect(
    rows.every(
      ({ status, attempts, responseCode }) => status === 'delivered' && attempts === 1 && responseCode === 204,
    ),
  ).toBe(true);
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
  expect(await views.inState(id, 'idle')).toMatchObject({ delivered: 250, failed: 0, waiting: 0, nextAt: null });
  await recordHistory('webhook-well', views.handle(id));
});

test(
  'a receiver that is down gets 18 attempts and its owner two mails; once the webhook is turned on again, the receiver gets every event',
  { tags: 'nightly' },
  async () => {
    const endpoint = await stack.endpoint();
    const { received } = endpoint;
    const { id, organizationId } = await views.lone(endpoint.url);
    const since = new Date();
    const early = await stack.emit(5, organizationId);
    await views.settled(id, 5);
    let open = 0;
    const openBeside: number[] = [];
    endpoint.answer = async (response) => {
      openBeside.push((open += 1));
      await setTimeout(30);
      open -= 1;
      refuse(500)(response);
    };
    const held = await stack.emit(40, organizationId);
    const rows = await views.settled(id, 45);
    expect(new Set(rows.slice(5).map(({ status }) => status))).toEqual(new Set(['held']));
    expect(
      await eventually(
        () => views.hook(id),
        ({ toldAt }) => toldAt !== null,
      ),
    ).toMatchObject({
      isActive: false,
      failures: disabledFrom,
      reason: 'consecutive_failures',
    });
    expect(received).toHaveLength(5 + disabledFrom);
    expect(openBeside.slice(failingFrom)).toEqual(Array(disabledFrom - failingFrom).fill(1));
    expect(await views.inState(id, 'off')).toMatchObject({ consecutiveFailures: disabledFrom });
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
    await recordHistory('webhook-turned-off', views.handle(id));

    const missed = await stack.emit(10, organizationId);
    await eventually(async () => (await stack.db.query('select from event_queue')).rowCount === 0);
    endpoint.answer = (response) => void response.writeHead(204).end();
    const change = { isActive: true };
    await emOf(stack.db).transactional((em) => updateWebhook(em, 'staff', id, change, { now: new Date() }));
    stack.relay.wake();
    await views.inState(id, 'idle');
    expect(received).toHaveLength(5 + disabledFrom);
    expect(await views.hook(id)).toMatchObject({ isActive: true, failures: 0, reason: null });
    await emOf(stack.db).transactional((em) => recoverWebhook(em, 'staff', id, since, new Date()));
    stack.relay.wake();
    await views.settled(id, 55);
    expect(idsOf(received.slice(5 + disabledFrom))).toEqual([...held, ...missed].toSorted());
    expect([...endpoint.accepted].toSorted()).toEqual([...early, ...held, ...missed].toSorted());
    await views.inState(id, 'idle');
    await recordHistory('webhook-enabled-again', views.handle(id));
  },
);

test('a webhook that a member pauses keeps every event, and gets all of them once it goes on', async () => {
  const endpoint = await stack.endpoint();
  const { id, organizationId } = await views.lone(endpoint.url);
  const pause = async (isPaused: boolean): Promise<void> => {
    await emOf(stack.db).transactional((em) => updateWebhook(em, 'staff', id, { isPaused }, { now: new Date() }));
    stack.relay.wake();
  };
  await pause(true);
  const ids = await stack.emit(20, organizationId);
  expect(await views.inState(id, 'paused')).toMatchObject({ delivered: 0 });
  await pause(false);
  await views.settled(id, 20);
  expect(idsOf(endpoint.received)).toEqual(ids.toSorted());
});

async function mailsAbout(webhookId: string): Promise<string[]> {
  const names = (await readdir(stack.mailFolder)).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(names.map((name) => readFile(join(stack.mailFolder, name), 'utf8')));
  return mails.filter((mail) => mail.includes(webhookId));
}
