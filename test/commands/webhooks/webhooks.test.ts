import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { redeliver, sendTest } from '#commands/webhooks/sends.ts';
import { mailOwnerOfWebhook } from '#commands/webhooks/mail.ts';
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from '#commands/webhooks/webhooks.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { Mail } from '#core/lib/mail.ts';
import { SealingError } from '#core/secrets/sealing.ts';
import { openWebhookSecret } from '#core/webhooks/signing.ts';
import { webhookUrlKey, webhookUrlProblem } from '#core/webhooks/url.ts';
import { recordAttempts } from '#db/webhooks/deliveries/records.ts';
import { Delivery, Webhook } from '#db/entities/webhooks.ts';
import { allPermissions, createOrganization } from '#test/support/factories.ts';
import { site } from '#test/support/site.ts';
import { createPerson } from '#test/support/people.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { claimAsPump, createDelivery } from '#test/support/deliveries.ts';

const sealing = createSealing(['a key of the tests, long enough to be one']);
let counter = 0;
const db = useTestDatabase();

const now = () => ({ now: new Date() });

async function createActor(): Promise<Actor> {
  const { id: organizationId, botId } = await createOrganization(db);
  return { organizationId, plan: 'premium', userId: botId, permissions: allPermissions };
}

async function create(): Promise<{ id: string; actor: Actor }> {
  const actor = await createActor();
  const url = `https://hooks.example.com/commands/${(counter += 1)}`;
  const draft = { url, events: ['link.created' as const], name: null, scope: null, headers: {}, maxPerSecond: null };
  const { id } = await emOf(db).transactional((em) => createWebhook(em, actor, draft, { sealing, ...now() }));
  return { actor, id };
}

const turn = (actor: Actor, id: string, isActive: boolean): Promise<Webhook> =>
  emOf(db).transactional((em) => updateWebhook(em, actor, id, { isActive }, now()));

const statusOf = async (id: string) => (await emOf(db).findOneOrFail(Delivery, { id })).status;

async function claimOne(webhookId: string, pumpId = uuidv7()): Promise<string> {
  const claimed = await claimAsPump(db, { webhookId, pumpId, limit: 1 });
  expect(claimed!.rows).toHaveLength(1);
  return pumpId;
}

async function record(webhookId: string, pumpId: string, id: string, isDelivered: boolean): Promise<void> {
  const code = isDelivered ? 200 : 500;
  const attempt = { id, isDelivered, isGone: false, at: new Date(), endedAgoMs: 0, code, durationMs: 5 };
  const attempts = [{ ...attempt, body: '', error: null, errorCode: null, retryInMs: 12_000 }];
  await recordAttempts(db, { webhookId, pumpId, probeDelaysMs: [12_000] }, attempts, { isActive: true, failures: 0 });
}

describe('secrets', () => {
  test('a secret, current or previous, opens for its own webhook alone', async () => {
    const [one, two] = [await create(), await create()];
    const read = async () => (await claimAsPump(db, { webhookId: one.id, pumpId: 'x', limit: 0 }))!.webhook;
    const before = await read();
    expect(before.previousSecretSealed).toBeNull();
    const first = openWebhookSecret(sealing, one.id, before.secretSealed);
    await emOf(db).transactional((em) => rotateSecret(em, one.actor, one.id, { sealing, ...now() }));
    const after = await read();
    expect(openWebhookSecret(sealing, one.id, after.secretSealed)).not.toBe(first);
    expect(openWebhookSecret(sealing, one.id, after.previousSecretSealed!)).toBe(first);
    expect(() => openWebhookSecret(sealing, two.id, after.secretSealed)).toThrow(SealingError);
  });

  test('two rotations of a secret at once run one after the other', async () => {
    const { id, actor } = await create();
    const rotate = () => emOf(db).transactional((em) => rotateSecret(em, actor, id, { sealing, ...now() }));
    await Promise.all([rotate(), rotate()]);
    const { webhook } = (await claimAsPump(db, { webhookId: id, pumpId: 'x', limit: 0 }))!;
    expect(webhook.previousSecretSealed).not.toEqual(webhook.secretSealed);
  });
});

describe('a delivery under way', () => {
  test.each([
    [false, 'held'],
    [true, 'delivered'],
  ] as const)(
    'a delivery under way is recorded after its webhook is turned off: success %s leaves it %s',
    async (isDelivered, status) => {
      const { id, actor } = await create();
      const delivery = await createDelivery(db, id);
      const pumpId = await claimOne(id);
      await turn(actor, id, false);
      expect(await statusOf(delivery.id)).toBe('held');
      await record(id, pumpId, delivery.id, isDelivered);
      expect(await statusOf(delivery.id)).toBe(status);
    },
  );

  test('a delivery under way stays pending when it is redelivered after the webhook was off', async () => {
    const { id, actor } = await create();
    const delivery = await createDelivery(db, id);
    const pumpId = await claimOne(id);
    await turn(actor, id, false);
    await turn(actor, id, true);
    await emOf(db).transactional((em) => redeliver(em, actor, id, delivery.id));
    await record(id, pumpId, delivery.id, false);
    const recorded = await emOf(db).findOneOrFail(Delivery, { id: delivery.id });
    expect(recorded).toMatchObject({ status: 'pending', attempts: 1 });
    expect(recorded.nextAttemptAt()).toEqual(expect.any(Date));
  });
});

test('a test delivery is the immediate probe of a failing webhook', async () => {
  const { id, actor } = await create();
  await db.query(
    `update webhooks set consecutive_failures = 12, next_probe_at = now() + interval '1 hour' where id = $1`,
    [id],
  );
  await createDelivery(db, id);
  const { id: deliveryId } = await emOf(db).transactional((em) =>
    sendTest(em, actor, id, { type: 'webhook.test', site, ...now() }),
  );
  const { rows } = (await claimAsPump(db, { webhookId: id, pumpId: 'x', limit: 1 }))!;
  expect(rows.map((row) => row.id)).toEqual([deliveryId]);
});

describe('an actor of the staff', () => {
  test("the staff may do with any organization's webhook what its members may", async () => {
    const { id } = await create();
    const delivery = await createDelivery(db, id, { status: 'failed' });
    await emOf(db).transactional((em) => updateWebhook(em, 'staff', id, { isActive: false }, now()));
    await emOf(db).transactional((em) => updateWebhook(em, 'staff', id, { isActive: true }, now()));
    await emOf(db).transactional((em) => redeliver(em, 'staff', id, delivery.id));
    expect(await statusOf(delivery.id)).toBe('pending');
    await emOf(db).transactional((em) => deleteWebhook(em, 'staff', id, now()));
    const again = emOf(db).transactional((em) => deleteWebhook(em, 'staff', id, now()));
    await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the URL of a webhook', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com:443/A#b', 'https://example.com/A'],
    ['https://example.com/a/../b?c#', 'https://example.com/b?c'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ])('%s is compared as %s', (url, key) => {
    expect(webhookUrlProblem(url)).toBeUndefined();
    expect(webhookUrlKey(url)).toBe(key);
    expect(webhookUrlKey(key)).toBe(key);
  });

  test('the URL of a webhook has 2,048 characters at most', () => {
    const base = 'https://example.com/';
    expect(webhookUrlProblem(base + 'x'.repeat(2_048 - base.length))).toBeUndefined();
    expect(webhookUrlProblem(base + 'x'.repeat(2_049 - base.length))).toMatch(/2048/);
  });
});

test('the mail about a failing webhook quotes the last failure, and says of none that there was no answer', async () => {
  const { id, actor } = await create();
  await createPerson(db, { [actor.organizationId]: 'owner' });
  const error = 'The connection was closed before the answer was complete.';
  const failingSince = new Date();
  const failure = { lastFailureAt: failingSince, lastFailureCode: null, lastFailureError: error };
  await emOf(db).nativeUpdate(Webhook, { id }, { consecutiveFailures: 5, failingSince, ...failure });
  const mails: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void mails.push(mail), close() {} };
  await mailOwnerOfWebhook(emOf(db), mailer, id);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.text).toContain(`At ${failingSince.toISOString()} an attempt failed:\n  ${error}`);
  expect(mails[0]?.text).not.toContain('gave no answer');
});
