import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '#core/organizations/actor.ts';
import { AppError } from '#core/errors/errors.ts';
import type { EventType } from '#core/webhooks/events.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { plans } from '#core/organizations/plans.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { type Precondition, requireVersion } from '#core/http/version.ts';
import { createWebhookSecret, sealWebhookSecret } from '#core/webhooks/signing.ts';
import { webhookUrlKey } from '#core/webhooks/url.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import type { Transaction } from '#db/connection/database.ts';
import { holdDeliveries } from '#db/webhooks/deliveries.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';
import {
  countWebhooks,
  dropRecovery,
  insertWebhook,
  readWebhook,
  setSecret,
  setWebhook,
  setWebhookOff,
  setWebhookOn,
  tombstoneWebhook,
  type WebhookRow,
} from '#db/webhooks/webhooks.ts';

/** A member or key of an organization, or the installation's staff, who may change any webhook. */
export type WebhookAsker = Actor | 'staff';

/** The fields of a new webhook; the URL has been checked. */
export interface WebhookDraft {
  url: string;
  events: EventType[];
  name: string | null;
}

/** Changes of a webhook; undefined fields stay. */
export type WebhookPatch = { [Field in keyof WebhookDraft]?: WebhookDraft[Field] | undefined } & {
  isActive?: boolean | undefined;
};

const previousSecretMs = 24 * 60 * 60 * 1_000;

/**
 * Reads and locks a live webhook: until the commit no other transaction changes it, and no pump claims its deliveries.
 * @throws AppError NOT_FOUND, FORBIDDEN.
 */
export async function lockWebhook(tx: Transaction, asker: WebhookAsker, id: string): Promise<WebhookRow> {
  const webhook = await readWebhook(tx, id, 'for no key update');
  if (asker !== 'staff') return requireOwn(webhook, asker, 'webhook');
  if (webhook === undefined) throw new AppError('NOT_FOUND', 'This webhook does not exist.');
  return webhook;
}

/**
 * Creates a webhook with a new secret, sealed in its row. @returns its id.
 * @throws AppError PLAN_LIMIT_REACHED; ALREADY_EXIST where the organization has one with this URL.
 */
export async function createWebhook(
  tx: Transaction,
  { organizationId, plan }: Actor,
  { url, events, name }: WebhookDraft,
  { sealing, now }: { sealing: Sealing; now: Date },
): Promise<string> {
  await lockOrganization(tx, organizationId);
  const limit = plans[plan].webhooks;
  if ((await countWebhooks(tx, organizationId)) >= limit) {
    throw new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} webhooks.`);
  }
  const id = uuidv7();
  const secretSealed = sealWebhookSecret(sealing, id, createWebhookSecret());
  await refusingDuplicates(() =>
    insertWebhook(tx, { id, organizationId, name, url, urlKey: webhookUrlKey(url), events, secretSealed, now }),
  );
  await enqueue(tx, 'webhook', [id]);
  return id;
}

/**
 * Changes a webhook. Turning it off holds its pending deliveries; turning it on resets its failures and sends nothing (6.5).
 * @throws AppError NOT_FOUND, FORBIDDEN; ALREADY_EXIST where the organization has another one with this URL.
 */
export async function updateWebhook(
  tx: Transaction,
  asker: WebhookAsker,
  id: string,
  patch: WebhookPatch,
  { now, ifMatch }: { now: Date; ifMatch?: Precondition | undefined },
): Promise<void> {
  const webhook = await lockWebhook(tx, asker, id);
  requireVersion(ifMatch, webhook);
  const { url = webhook.url, events = webhook.events, name = webhook.name, isActive = webhook.isActive } = patch;
  const isChanged = url !== webhook.url || name !== webhook.name || events.join() !== webhook.events.join();
  const isSwitched = isActive !== webhook.isActive;
  if (!isChanged && !isSwitched) return;
  if (isChanged) {
    await refusingDuplicates(() => setWebhook(tx, id, { name, url, urlKey: webhookUrlKey(url), events, now }));
  }
  if (isSwitched) {
    // Before the deliveries are held: waits for a recovery under way, so that its deliveries are held, too.
    await dropRecovery(tx, id);
    await (isActive ? setWebhookOn(tx, id, now) : setWebhookOff(tx, id, now));
    await holdDeliveries(tx, id);
  }
  await enqueue(tx, 'webhook', [id]);
}

async function refusingDuplicates(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'webhooks_url_key')) throw error;
    throw new AppError('ALREADY_EXIST', 'A webhook with this URL exists already.');
  }
}

/** Gives a webhook another secret; for 24 hours the earlier one signs too. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function rotateSecret(
  tx: Transaction,
  asker: WebhookAsker,
  id: string,
  { sealing, now, ifMatch }: { sealing: Sealing; now: Date; ifMatch?: Precondition | undefined },
): Promise<void> {
  requireVersion(ifMatch, await lockWebhook(tx, asker, id));
  const sealed = sealWebhookSecret(sealing, id, createWebhookSecret());
  await setSecret(tx, id, { sealed, previousUntil: new Date(now.getTime() + previousSecretMs), now });
}

/** Deletes a webhook: nothing more is sent to it, and its URL is free. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function deleteWebhook(
  tx: Transaction,
  asker: WebhookAsker,
  id: string,
  { now, ifMatch }: { now: Date; ifMatch?: Precondition | undefined },
): Promise<void> {
  requireVersion(ifMatch, await lockWebhook(tx, asker, id));
  await tombstoneWebhook(tx, id, now);
  await dropRecovery(tx, id);
  await enqueue(tx, 'webhook', [id]);
}
