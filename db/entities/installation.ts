import { defineEntity, p } from '@mikro-orm/core';

/** A value of the whole installation: `secret-fingerprint`, the fingerprint of its secret key. */
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
