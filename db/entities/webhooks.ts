import { isDeepStrictEqual } from 'node:util';
import { defineEntity, type EntityRepositoryType, type FormulaTable, p, raw } from '@mikro-orm/core';
import { laterThan } from '#core/lib/later-than.ts';
import type { DeliveredType, EventType } from '#core/webhooks/events.ts';
import {
  type AttemptErrorCode,
  type DeliveryStatus,
  type DisabledReason,
  standingSwitched,
} from '#core/webhooks/standing.ts';
import type { WebhookHeaders } from '#core/webhooks/headers.ts';
import { scopeKinds, type WebhookScope } from '#core/webhooks/scope.ts';
import { webhookUrlKey } from '#core/webhooks/url.ts';
import type { DeliveryRepository } from '#db/webhooks/deliveries/deliveries.ts';
import { askedMeanwhile } from '#db/webhooks/deliveries/sending.ts';
import type { WebhookRepository } from '#db/webhooks/webhooks.ts';
import { live, tenant } from '#db/connection/lists/filters.ts';
import { traceOfTransaction } from './installation.ts';
import { Organization } from './accounts/people.ts';

/** The fields of a webhook that clients set; the URL has been checked. */
export interface WebhookDraft {
  url: string;
  events: EventType[];
  name: string | null;
  /** Null: events of all links, domains and imports. */
  scope: WebhookScope | null;
  /** By name; none: `{}`. */
  headers: WebhookHeaders;
  /** Null: no limit. */
  maxPerSecond: number | null;
}

/** Changes of a webhook; undefined fields stay. */
export type WebhookPatch = { [Field in keyof WebhookDraft]?: WebhookDraft[Field] | undefined } & {
  isActive?: boolean | undefined;
  isPaused?: boolean | undefined;
};

export const WebhookSchema = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  filters: { live, tenant },
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization).index('webhooks_organization_id_idx'),
    name: p.text().nullable(),
    /** As the client sent it. */
    url: p.text(),
    urlKey: p.text(),
    events: p.array().$type<EventType[]>(),
    scopeFolderIds: p.array().columnType('uuid[]').nullable(),
    scopeTagIds: p.array().columnType('uuid[]').nullable(),
    scopeDomainIds: p.array().columnType('uuid[]').nullable(),
    scopeLinkIds: p.array().columnType('uuid[]').nullable(),
    headerNames: p.array().default([]),
    headersSealed: p.blob().nullable().hidden().lazy(),
    isPaused: p.boolean().default(false),
    maxPerSecond: p.integer().nullable(),
    isActive: p.boolean().default(true),
    secretSealed: p.blob().hidden().lazy(),
    previousSecretSealed: p.blob().nullable().hidden().lazy(),
    previousSecretUntil: p.datetime(3).nullable(),
    consecutiveFailures: p.integer().default(0),
    lastFailureAt: p.datetime(3).nullable(),
    disabledAt: p.datetime(3).nullable(),
    disabledReason: p.text().$type<DisabledReason>().nullable(),
    lastFailureCode: p.integer().nullable(),
    lastFailureError: p.text().nullable(),
    lastFailureBody: p.text().nullable(),
    failingSince: p.datetime(3).nullable(),
    nextProbeAt: p.datetime(3).nullable(),
    lookedAt: p.datetime(3).nullable(),
    attemptedAt: p.datetime(3).nullable(),
    isPumping: p.boolean().default(false),
    pump: p.text().nullable(),
    pumpProcess: p.integer().nullable(),
    nextPump: p.text().nullable(),
    warnedAt: p.datetime(3).nullable(),
    toldAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'webhooks_url_key', properties: ['organization', 'urlKey'], where: 'deleted_at is null' }],
  checks: [{ name: 'webhooks_max_per_second_check', expression: 'max_per_second >= 1 and max_per_second <= 1000' }],
});

/**
 * A webhook of an organization. Secrets are sealed; the previous one signs too until its end. A live webhook may recover missed
 * events later, so events are kept for it even while it is off. `urlKey` is the URL in the spelling that is compared. While it
 * fails, since `failingSince`, `nextProbeAt` is when one delivery goes out as a probe; `lastFailureCode`, `lastFailureError`
 * and `lastFailureBody` describe the last failed attempt. `pump` is the pump that has the lease, `lookedAt` when deliveries were last looked
 * at, `isPumping` whether more looks follow, `attemptedAt` when attempts were last recorded. Nothing reads `pumpProcess` and `nextPump` any more. `warnedAt` is when its owner got a mail that it fails, `toldAt` that it is off.
 */
export class Webhook extends WebhookSchema.class {
  declare [EntityRepositoryType]?: WebhookRepository;

  /**
   * Changes some fields. Turned on, the webhook has no failures any more; turned off, it shows that a call did it.
   * @returns whether anything changed.
   */
  change(
    {
      url = this.url,
      events = this.events,
      name = this.name ?? null,
      scope = this.scope(),
      maxPerSecond = this.maxPerSecond ?? null,
      isPaused = this.isPaused,
      isActive = this.isActive,
    }: WebhookPatch,
    now: Date,
  ): boolean {
    const isChanged =
      url !== this.url ||
      name !== (this.name ?? null) ||
      events.join() !== this.events.join() ||
      maxPerSecond !== (this.maxPerSecond ?? null) ||
      isPaused !== this.isPaused ||
      !isDeepStrictEqual(scope, this.scope());
    const isSwitched = isActive !== this.isActive;
    if (isChanged) {
      const plain = { url, urlKey: webhookUrlKey(url), events, name, maxPerSecond, isPaused };
      Object.assign(this, { ...plain, ...scopeColumns(scope) });
    }
    if (isSwitched) Object.assign(this, standingSwitched(isActive, now));
    if (isChanged || isSwitched) this.updatedAt = laterThan(this.updatedAt, now);
    return isChanged || isSwitched;
  }

  /** The links whose events it gets; null: all events of the organization. */
  scope(): WebhookScope | null {
    const { scopeFolderIds, scopeTagIds, scopeDomainIds, scopeLinkIds } = this;
    const lists = { folderIds: scopeFolderIds, tagIds: scopeTagIds, domainIds: scopeDomainIds, linkIds: scopeLinkIds };
    if (scopeKinds.every((kind) => (lists[kind] ?? null) === null)) return null;
    const { folderIds, tagIds, domainIds, linkIds } = lists;
    return { folderIds: folderIds ?? [], tagIds: tagIds ?? [], domainIds: domainIds ?? [], linkIds: linkIds ?? [] };
  }

  /** Replaces the headers. @param sealed null where there are none. */
  setHeaders(headers: WebhookHeaders, sealed: Buffer | null, now: Date): void {
    Object.assign(this, { headerNames: Object.keys(headers), headersSealed: sealed });
    this.updatedAt = laterThan(this.updatedAt, now);
  }

  /** Replaces the secret, which has been read; the previous one signs too until `previousUntil`. */
  rotateSecret(sealed: Buffer, { previousUntil, now }: { previousUntil: Date; now: Date }): void {
    this.previousSecretSealed = this.secretSealed;
    this.previousSecretUntil = previousUntil;
    this.secretSealed = sealed;
    this.updatedAt = laterThan(this.updatedAt, now);
  }
}
WebhookSchema.setClass(Webhook);

/** The columns of a scope; a kind without ids is null. */
export function scopeColumns(scope: WebhookScope | null) {
  const of = (kind: keyof WebhookScope): string[] | null =>
    scope === null || scope[kind].length === 0 ? null : scope[kind];
  return {
    scopeFolderIds: of('folderIds'),
    scopeTagIds: of('tagIds'),
    scopeDomainIds: of('domainIds'),
    scopeLinkIds: of('linkIds'),
  };
}

/**
 * An event of a link, which it may outlive: no foreign keys. `body` is the delivery's JSON, written once, so that every attempt
 * sends the same bytes.
 */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    type: p.text(),
    linkId: p.uuid().nullable(),
    body: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    trace: p.text().nullable().defaultRaw(traceOfTransaction),
  },
  indexes: [{ name: 'events_organization_id_idx', properties: ['organizationId', 'createdAt'] }],
  triggers: [
    {
      name: 'events_queue',
      timing: 'after',
      events: ['insert'],
      forEach: 'statement',
      expression: `create trigger events_queue after insert on events
        referencing new table as added for each statement execute function queue_events()`,
    },
  ],
});

/** An event that has not been fanned out yet; a trigger on `events` inserts it. */
export const QueuedEvent = defineEntity({
  name: 'QueuedEvent',
  tableName: 'event_queue',
  properties: { eventId: p.uuid().primary() },
});

/**
 * Where the link of an event was when the event was written. The trigger of `events` inserts it, in organizations with a webhook that
 * has a scope.
 */
export const EventScope = defineEntity({
  name: 'EventScope',
  tableName: 'event_scopes',
  properties: {
    eventId: p.uuid().primary(),
    folderId: p.uuid(),
    domainId: p.uuid(),
    tagIds: p.array().columnType('uuid[]'),
  },
});

/** SQL: a column of a delivery's last attempt. */
const ofLastAttempt =
  (column: string) =>
  (_columns: unknown, { alias }: FormulaTable): string =>
    `(select a.${column} from delivery_attempts a where a.delivery_id = ${alias}.id and a.number = ${alias}.attempts)`;

export const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    id: p.uuid().primary(),
    // No foreign key: every delivery would lock the webhook's row, which pumps and settings change (bench row W1).
    webhookId: p.uuid(),
    event: () => p.manyToOne(Event).createForeignKeyConstraint(false),
    type: p.text().$type<DeliveredType>(),
    status: p.text().$type<DeliveryStatus>().default('pending'),
    attempts: p.integer().default(0),
    tries: p.integer().default(0),
    isUrgent: p.boolean().default(false),
    responseCode: p.integer().nullable(),
    error: p.text().nullable().formula(ofLastAttempt('error')),
    errorCode: p.text().$type<AttemptErrorCode>().nullable().formula(ofLastAttempt('error_code')),
    dueAt: p.datetime(3).nullable(),
    claim: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'deliveries_event_key', properties: ['event', 'webhookId'] }],
  indexes: [
    { name: 'deliveries_webhook_id_idx', properties: ['webhookId', 'id'] },
    {
      name: 'deliveries_due_idx',
      properties: ['webhookId', 'dueAt'],
      where: `status = 'pending' and not is_urgent`,
    },
    {
      name: 'deliveries_urgent_idx',
      properties: ['webhookId', 'dueAt'],
      where: `status = 'pending' and is_urgent`,
    },
    { name: 'deliveries_claim_idx', properties: ['webhookId'], where: 'claim is not null' },
  ],
  checks: [{ name: 'deliveries_status_check', expression: `status in ('pending', 'delivered', 'failed', 'held')` }],
});

/**
 * An event on its way to a webhook. `attempts` counts all attempts, `tries` those of the present series, which a redelivery
 * restarts from its first attempt. `isUrgent`: a caller asked for the delivery, so it goes out before others. `claim` names the
 * pump that is sending it. `error` and `errorCode` are those of the last attempt, as they were when the row was read.
 */
export class Delivery extends DeliverySchema.class {
  declare [EntityRepositoryType]?: DeliveryRepository;

  /** When the delivery goes out next; null: not by itself. */
  nextAttemptAt(): Date | null {
    return this.status === 'pending' ? (this.dueAt ?? null) : null;
  }

  /**
   * Makes the delivery due now, before others, with a new series of tries. Where an attempt is under way, it goes out again as soon as that
   * attempt is recorded.
   */
  sendNow(): void {
    const tries = (this.claim ?? null) === null ? 0 : askedMeanwhile;
    Object.assign(this, { status: 'pending', tries, isUrgent: true, dueAt: raw('now()') });
  }
}
DeliverySchema.setClass(Delivery);

/**
 * One attempt of a delivery. `body` is the beginning of the answer, `error` and `errorCode` the reason where there was none; attempts that
 * an earlier version recorded have no `errorCode`.
 */
export const DeliveryAttempt = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempts',
  properties: {
    // No foreign key: attempts are written and forgotten in the statement of their delivery.
    deliveryId: p.uuid().primary(),
    number: p.integer().primary(),
    at: p.datetime(3),
    code: p.integer().nullable(),
    durationMs: p.integer(),
    body: p.text().nullable(),
    error: p.text().nullable(),
    errorCode: p.text().$type<AttemptErrorCode>().nullable(),
  },
});

export const WebhookRecoverySchema = defineEntity({
  name: 'WebhookRecovery',
  tableName: 'webhook_recoveries',
  properties: {
    // No foreign key: the turn that finds the webhook deleted removes the recovery.
    webhookId: p.uuid().primary(),
    since: p.datetime(3),
    until: p.datetime(3),
    afterAt: p.datetime(3),
    afterId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A recovery of missed events by a webhook, from `since` on; events up to (`afterAt`, `afterId`) are done. */
export class WebhookRecovery extends WebhookRecoverySchema.class {
  /** Joins the range with another one, and begins again. */
  join({ since, until }: { since: Date; until: Date }): void {
    if (since < this.since) this.since = since;
    if (until > this.until) this.until = until;
    this.afterAt = this.since;
    this.afterId = noId;
  }
}
WebhookRecoverySchema.setClass(WebhookRecovery);

/** Sorts before every id. */
export const noId = '00000000-0000-0000-0000-000000000000';
