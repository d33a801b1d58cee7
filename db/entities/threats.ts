import { defineEntity, p } from '@mikro-orm/core';
import type { ThreatType } from '#core/threats/types.ts';
import { Organization } from './accounts/people.ts';

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
    threatTypes: p.array().$type<ThreatType[]>().nullable(),
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

/** Scans that one workflow of a release before 0.1.0 recorded, because their verdicts were known. The next release drops the table. */
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

/**
 * A list of hash prefixes of Web Risk. `version` grows with each change of its prefixes. `versionToken` is what Web Risk asks
 * back for the next changes; null: the whole list is asked for. `nextDiffAt` is when changes are asked for next.
 */
export const ThreatList = defineEntity({
  name: 'ThreatList',
  tableName: 'threat_lists',
  properties: {
    threatType: p.text().$type<ThreatType>().primary(),
    version: p.integer(),
    versionToken: p.blob().nullable(),
    checksum: p.blob(),
    entries: p.integer(),
    changedAt: p.datetime(3),
    checkedAt: p.datetime(3),
    nextDiffAt: p.datetime(3),
  },
});

/** Some prefixes of one size of a list, sorted, one after the other. */
export const ThreatListChunk = defineEntity({
  name: 'ThreatListChunk',
  tableName: 'threat_list_chunks',
  primaryKeys: ['threatType', 'version', 'position'],
  properties: {
    threatType: p.text().$type<ThreatType>().primary(),
    version: p.integer().primary(),
    position: p.integer().primary(),
    prefixSize: p.smallint(),
    prefixes: p.blob(),
  },
});
