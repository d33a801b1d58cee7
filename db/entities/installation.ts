import { defineEntity, p } from '@mikro-orm/core';
import type { OutboxKind } from '#db/outbox.ts';

/** SQL: the trace of the transaction that writes the row, which `createDatabase` sets. */
export const traceOfTransaction = `NULLIF(current_setting('waymark.trace'::text, true), ''::text)`;

/**
 * A value of the whole installation: `secret-fingerprint`, the fingerprint of its secret key; `click-store`, where the API reads clicks,
 * `postgresql` or `clickhouse`.
 */
export const InstallationValue = defineEntity({
  name: 'InstallationValue',
  tableName: 'installation',
  properties: {
    key: p.text().primary(),
    value: p.json<unknown>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/**
 * A worker process. The thread that runs its activities renews `heardAt` every few seconds, so that a stale row means a dead or
 * hung process; a clean end removes the row. `takesTasks`: it polls, as the SDK and Temporal say. `lastTaskAt`: when it last began a
 * task, at first its start. The disk is that of its data folder, in bytes; null: unknown. `scanner` is what its threat scanner goes
 * by. Both are null of workers of earlier releases.
 */
export const Worker = defineEntity({
  name: 'Worker',
  tableName: 'workers',
  properties: {
    id: p.uuid().primary(),
    host: p.text(),
    pid: p.integer(),
    version: p.text(),
    startedAt: p.datetime(3).defaultRaw('now()'),
    heardAt: p.datetime(3).defaultRaw('now()'),
    takesTasks: p.boolean(),
    lastTaskAt: p.datetime(3).nullable(),
    diskFreeBytes: p.bigint('number').nullable(),
    diskBytes: p.bigint('number').nullable(),
    scanner: p.text().nullable(),
  },
});

/**
 * A row of the outbox says only "look at (kind, subject)", once while pending. `generation` grows when the subject is enqueued
 * again, so that settling an earlier look does not lose the later request. Parked rows wait for an operator. Scans of `lane` 0
 * are claimed before those of `lane` 1.
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
    trace: p.text().nullable().defaultRaw(traceOfTransaction),
  },
  uniques: [{ name: 'outbox_subject_key', properties: ['kind', 'subjectId'] }],
  indexes: [{ name: 'outbox_due_idx', properties: ['kind', 'lane', 'dueAt'], where: 'parked_at is null' }],
});

/**
 * A deletion whose rows are being removed: the links of one call (by the id of the first), a domain, a folder or an
 * organization (by their own id). `links` is their number, `toldTo` the last one, by id, for which `link.deleted` is out, and
 * `dueAt` when the deletion counts as lost unless an activity touches it.
 */
export const Deletion = defineEntity({
  name: 'Deletion',
  tableName: 'purges',
  properties: {
    id: p.uuid().primary(),
    kind: p.enum(['links', 'domain', 'folder', 'organization']),
    organizationId: p.uuid(),
    links: p.integer(),
    linksRemoved: p.integer().default(0),
    toldTo: p.uuid(),
    deletedAt: p.datetime(3),
    dueAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    { name: 'purges_due_at_idx', properties: ['dueAt'] },
    { name: 'purges_organization_id_idx', properties: ['organizationId'] },
  ],
});
