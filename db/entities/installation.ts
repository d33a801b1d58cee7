import { defineEntity, p } from '@mikro-orm/core';

/** What is known once per database: `secret-fingerprint`, which SECRET_KEY it is sealed with. */
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
 * A worker process. It renews `heardAt` every few seconds from the thread that runs its activities, so that a row that is
 * not renewed tells of a process that is dead or hung; a clean end removes the row. The disk is that of its data folder.
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
    diskFreeBytes: p.bigint('number').nullable(),
    diskBytes: p.bigint('number').nullable(),
  },
});
