import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/postgresql';
import { type ActivityAction, type ActivityDetails, detailsOfChange } from '#core/audit/activity.ts';
import type { Actor } from '#core/audit/actor.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { plans } from '#core/organizations/plans.ts';
import { type Sealing, SealingError } from '#core/secrets/sealing.ts';
import { type Precondition, requireVersion } from '#core/http/version.ts';
import { createDisabledEvent } from '#core/webhooks/events.ts';
import { openWebhookHeaders, sealWebhookHeaders } from '#core/webhooks/headers.ts';
import { createWebhookSecret, sealWebhookSecret } from '#core/webhooks/signing.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { webhookUrlKey } from '#core/webhooks/url.ts';
import { webhookLabel } from '#core/webhooks/label.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import {
  Delivery,
  scopeColumns,
  Webhook,
  type WebhookDraft,
  type WebhookPatch,
  WebhookRecovery,
} from '#db/entities/webhooks.ts';
import { enqueue } from '#db/outbox.ts';
import { changedNames, recordActivityOf } from '#commands/activity.ts';
import { recordAuditedActivity } from '#commands/organizations/audit.ts';
import { flushRefusing } from '#commands/flush.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { requireScope } from './scope.ts';

/** A member or key of an organization, or the installation's staff, who may read and change any webhook. */
export type WebhookAsker = Actor | 'staff';

const previousSecretMs = 24 * 60 * 60 * 1_000;

/** Reads a live webhook. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function requireWebhook(em: EntityManager, asker: WebhookAsker, id: string): Promise<Webhook> {
  return requireOf(asker, await em.findOne(Webhook, { id }));
}

/**
 * Reads and locks a live webhook: until the commit no other transaction changes it, and no pump claims its deliveries.
 * @throws AppError NOT_FOUND, FORBIDDEN.
 */
export async function lockWebhook(em: EntityManager, asker: WebhookAsker, id: string): Promise<Webhook> {
  return requireOf(asker, await em.findOne(Webhook, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }));
}

function requireOf(asker: WebhookAsker, webhook: Webhook | null): Webhook {
  if (asker !== 'staff') return requireOwn(webhook, asker, 'webhook');
  if (webhook === null) throw new AppError('NOT_FOUND', 'This webhook does not exist.');
  return webhook;
}

/**
 * Creates a webhook with a new secret, sealed in its row.
 * @throws AppError PLAN_LIMIT_REACHED; NOT_FOUND, FORBIDDEN of its scope; ALREADY_EXIST where the organization has one with this URL.
 */
export async function createWebhook(
  em: EntityManager,
  actor: Actor,
  draft: WebhookDraft,
  { sealing, now }: { sealing: Sealing; now: Date },
): Promise<Webhook> {
  const { organizationId, plan } = actor;
  if (draft.scope !== null) await requireScope(em, organizationId, draft.scope, null, 'scope');
  await lockOrganization(em, organizationId);
  const limit = plans[plan].webhooks;
  if ((await em.count(Webhook, {}, { filters: { tenant: { organizationId } } })) >= limit) {
    throw new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} webhooks.`);
  }
  const id = uuidv7();
  const { scope, headers, ...plain } = draft;
  const webhook = em.create(Webhook, {
    id,
    organization: organizationId,
    ...plain,
    urlKey: webhookUrlKey(draft.url),
    ...scopeColumns(scope),
    headerNames: Object.keys(headers),
    headersSealed: sealWebhookHeaders(sealing, id, headers),
    secretSealed: sealWebhookSecret(sealing, id, createWebhookSecret()),
    createdAt: now,
    updatedAt: now,
  });
  await flushRefusing(em, { webhooks_url_key: urlInUse });
  await recordOfWebhook(em, actor, webhook, 'webhook.created', { now });
  await enqueue(em, 'webhook', [webhook.id]);
  return webhook;
}

/**
 * Changes a webhook. Turning it off holds its pending deliveries; turning it on resets its failures and sends nothing.
 * @param sealing needed where the patch has headers.
 * @throws AppError NOT_FOUND, FORBIDDEN; ALREADY_EXIST where the organization has another one with this URL; VALIDATION_ERROR where
 * the URL gets another host and the headers are not sent again.
 */
export async function updateWebhook(
  em: EntityManager,
  asker: WebhookAsker,
  id: string,
  patch: WebhookPatch,
  { sealing, now, ifMatch }: { sealing?: Sealing; now: Date; ifMatch?: Precondition | undefined },
): Promise<Webhook> {
  const webhook = await lockWebhook(em, asker, id);
  requireVersion(ifMatch, webhook);
  const { url, name, events, isActive, isPaused, maxPerSecond } = webhook;
  const before = { url, name, events, scope: webhook.scope(), isActive, isPaused, maxPerSecond };
  const haveHeadersChanged = await changeHeaders(em, webhook, patch, { sealing, now });
  if (patch.scope) await requireScope(em, webhook.organization.id, patch.scope, webhook.scope(), 'scope');
  const fields = changedNames(patch, before).filter((field) => field !== 'headers' || haveHeadersChanged);
  if (!webhook.change(patch, now) && !haveHeadersChanged) return webhook;
  await flushRefusing(em, { webhooks_url_key: urlInUse });
  if (webhook.isActive !== isActive) {
    // Before the deliveries are held: waits for a recovery under way, so that its deliveries are held, too.
    await em.nativeDelete(WebhookRecovery, { webhookId: id });
    await em.getRepository(Delivery).holdPending(id);
    if (!webhook.isActive) {
      const disabled = { id, organizationId: webhook.organization.id, name: webhook.name ?? null, url: webhook.url };
      await insertEvents(em, [createDisabledEvent(disabled, 'turned_off', now)]);
    }
  }
  const details = detailsOfChange(fields.map((field) => [field, webhook[field as keyof Webhook]]));
  await recordOfWebhook(em, asker, webhook, 'webhook.updated', { now, details });
  await enqueue(em, 'webhook', [id]);
  return webhook;
}

/**
 * Replaces the headers where the patch has others. Without the right to read them, a member must not have them sent to another
 * server either. @returns whether they changed.
 */
async function changeHeaders(
  em: EntityManager,
  webhook: Webhook,
  { url, headers }: WebhookPatch,
  { sealing, now }: { sealing: Sealing | undefined; now: Date },
): Promise<boolean> {
  if (headers === undefined) {
    if (url !== undefined && webhook.headerNames.length > 0 && new URL(url).origin !== new URL(webhook.url).origin) {
      throw invalid('headers', 'must be sent again with a URL of another host');
    }
    return false;
  }
  if (sealing === undefined) throw new Error('The headers of a webhook cannot be sealed.');
  await em.populate(webhook, ['headersSealed']);
  if (isDeepStrictEqual(readHeaders(sealing, webhook), Object.entries(headers))) return false;
  webhook.setHeaders(headers, sealWebhookHeaders(sealing, webhook.id, headers), now);
  return true;
}

/** The headers of a webhook in their order; undefined where no secret key opens them: the next ones replace them. */
function readHeaders(sealing: Sealing, { id, headersSealed }: Webhook): [string, string][] | undefined {
  if (!headersSealed) return [];
  try {
    return openWebhookHeaders(sealing, id, headersSealed);
  } catch (error) {
    if (error instanceof SealingError) return undefined;
    throw error;
  }
}

const urlInUse = (): AppError =>
  new AppError('ALREADY_EXIST', 'A webhook with this URL exists already.', { reason: 'url' });

/** Gives a webhook another secret; for 24 hours the earlier one signs too. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function rotateSecret(
  em: EntityManager,
  asker: WebhookAsker,
  id: string,
  { sealing, now, ifMatch }: { sealing: Sealing; now: Date; ifMatch?: Precondition | undefined },
): Promise<void> {
  const webhook = await lockWebhook(em, asker, id);
  requireVersion(ifMatch, webhook);
  await em.populate(webhook, ['secretSealed']);
  const previousUntil = new Date(now.getTime() + previousSecretMs);
  webhook.rotateSecret(sealWebhookSecret(sealing, id, createWebhookSecret()), { previousUntil, now });
  await recordOfWebhook(em, asker, webhook, 'webhook.secretRotated', { now });
}

/** Deletes a webhook: nothing more is sent to it, and its URL is free. @throws AppError NOT_FOUND, FORBIDDEN. */
export async function deleteWebhook(
  em: EntityManager,
  asker: WebhookAsker,
  id: string,
  { now, ifMatch }: { now: Date; ifMatch?: Precondition | undefined },
): Promise<void> {
  const webhook = await lockWebhook(em, asker, id);
  requireVersion(ifMatch, webhook);
  webhook.deletedAt = now;
  await em.flush();
  await em.getRepository(Delivery).holdPending(id);
  await em.nativeDelete(WebhookRecovery, { webhookId: id });
  await recordOfWebhook(em, asker, webhook, 'webhook.deleted', { now });
  await enqueue(em, 'webhook', [id]);
}

export async function recordOfWebhook(
  em: EntityManager,
  asker: WebhookAsker,
  webhook: Webhook,
  action: ActivityAction,
  { now, details }: { now: Date; details?: ActivityDetails },
): Promise<void> {
  const draft = { action, subjectId: webhook.id, name: webhookLabel(webhook), details };
  if (asker === 'staff') await recordActivityOf(em, webhook.organization.id, asker, draft, now);
  else await recordAuditedActivity(em, asker, draft, now);
}
