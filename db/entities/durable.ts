import { defineEntity, p } from '@mikro-orm/core';
import type { OutboxKind } from '#db/outbox.ts';
import { Organization } from './people.ts';

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

/**
 * A row of the outbox says only "look at (kind, subject)", once while pending. `generation` grows when the subject is enqueued
 * again, so that settling an earlier look does not lose the later request. Parked rows wait for an operator. Scans of `lane` 0
 * go before those of `lane` 1, and organizations take turns.
 */
export const OutboxRow = defineEntity({
  name: 'OutboxRow',
  tableName: 'outbox',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    kind: p.text().$type<OutboxKind>(),
    subjectId: p.uuid(),
    generation: p.integer().default(1),
    attempts: p.integer().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
    dueAt: p.datetime(3).defaultRaw('now()'),
    parkedAt: p.datetime(3).nullable(),
    lastError: p.text().nullable(),
    lane: p.smallint().default(0),
    organizationId: p.uuid().default('00000000-0000-0000-0000-000000000000'),
  },
  uniques: [{ name: 'outbox_subject_key', properties: ['kind', 'subjectId'] }],
  indexes: [
    { name: 'outbox_due_idx', properties: ['kind', 'dueAt'], where: 'parked_at is null' },
    {
      name: 'outbox_scans_idx',
      properties: ['lane', 'organizationId', 'dueAt', 'id'],
      where: "kind = 'threat-scan' and parked_at is null",
    },
  ],
});

/**
 * Web Risk's verdict on a URL, once per installation. `threatTypes` is null before the first answer; `dueAt` is when the next
 * answer is overdue, null when none is awaited. `lane` and `organizationId` are those of the first waiting request.
 */
export const ThreatVerdict = defineEntity({
  name: 'ThreatVerdict',
  tableName: 'threat_verdicts',
  properties: {
    urlHash: p.blob().primary(),
    url: p.text(),
    threatTypes: p.array().nullable(),
    requestedAt: p.datetime(3).defaultRaw('now()'),
    scannedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    lane: p.smallint().default(0),
    organizationId: p.uuid().default('00000000-0000-0000-0000-000000000000'),
  },
  indexes: [
    { name: 'threat_verdicts_due_idx', properties: ['dueAt'], where: 'due_at is not null' },
    {
      name: 'threat_verdicts_requested_at_idx',
      properties: ['requestedAt'],
      where: 'due_at is not null and scanned_at is null',
    },
  ],
});

/** A scan that was answered within the call that wanted it, and that is in no batch yet. */
export const AnsweredScan = defineEntity({
  name: 'AnsweredScan',
  tableName: 'answered_scans',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    subjectId: p.uuid(),
    organizationId: p.uuid(),
  },
});

/** Answered scans that one workflow records, by the ids of their destinations and links. */
export const ScanBatch = defineEntity({
  name: 'ScanBatch',
  tableName: 'scan_batches',
  properties: {
    id: p.uuid().primary(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    recordedAt: p.datetime(3).nullable(),
    subjectIds: p.array().$type<string[]>().columnType('uuid[]'),
    linkIds: p.array().$type<string[]>().columnType('uuid[]'),
  },
  indexes: [
    { name: 'scan_batches_created_at_idx', properties: ['createdAt'] },
    { name: 'scan_batches_open_idx', properties: ['createdAt'], where: 'recorded_at is null' },
  ],
});

/** Scans of an organization that began on a day (UTC); `isSpent`: the daily budget is used up. */
export const ScanDay = defineEntity({
  name: 'ScanDay',
  tableName: 'scan_days',
  primaryKeys: ['organizationId', 'day'],
  properties: {
    organizationId: p.uuid().primary(),
    day: p.date().primary(),
    scans: p.integer(),
    isSpent: p.boolean(),
  },
});

/**
 * A threat that is to be in the next mail to an organization's owner. `mailId` is set from when that mail is first written
 * until the mail server has taken it.
 */
export const ThreatNotice = defineEntity({
  name: 'ThreatNotice',
  tableName: 'threat_notices',
  primaryKeys: ['organization', 'urlHash'],
  properties: {
    organization: () => p.manyToOne(Organization).primary().deleteRule('cascade'),
    urlHash: p.blob().primary(),
    foundAt: p.datetime(3).defaultRaw('now()'),
    mailId: p.uuid().nullable(),
  },
});
