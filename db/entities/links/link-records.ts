import { defineEntity, p } from '@mikro-orm/core';
import { callerKinds, type FieldChanges } from '#core/links/change.ts';
import type { ReportNote, ReportResolution } from '#core/links/report.ts';

/**
 * Reports of one link by visitors, gathered until staff close them; the next report opens another row. `clients` are keyed
 * hashes of addresses: each counts once. `handledAt` is when the workflow was last asked to look at the row; null: it has to be.
 */
export const LinkReport = defineEntity({
  name: 'LinkReport',
  tableName: 'link_reports',
  properties: {
    id: p.uuid().primary(),
    // No foreign keys: a visitor's report must not lock the link; reports are removed with their link.
    organizationId: p.uuid(),
    linkId: p.uuid(),
    reports: p.integer(),
    notes: p.json<ReportNote[]>(),
    clients: p.array(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    reportedAt: p.datetime(3).defaultRaw('now()'),
    closedAt: p.datetime(3).nullable(),
    closedBy: p.uuid().nullable(),
    resolution: p.text().$type<ReportResolution>().nullable(),
    handledAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'link_reports_open_key', properties: ['linkId'], where: 'closed_at is null' }],
  indexes: [
    { name: 'link_reports_link_id_idx', properties: ['linkId'] },
    { name: 'link_reports_organization_id_idx', properties: ['organizationId'] },
    { name: 'link_reports_unhandled_idx', properties: ['reportedAt'], where: 'handled_at is null' },
  ],
});

/**
 * A change of a link. Changes of one link are numbered from 1; the oldest ones are removed (`db/links/changes.ts`). `at` is the
 * link's `updatedAt` after the change, so that it grows with each change. Rows go away with their link.
 */
export const LinkChange = defineEntity({
  name: 'LinkChange',
  tableName: 'link_changes',
  properties: {
    // No foreign keys: the removal of a link removes its changes, and a user or key may be gone before.
    linkId: p.uuid().primary(),
    number: p.integer().primary(),
    id: p.uuid(),
    at: p.datetime(3),
    caller: p.enum(callerKinds),
    /** The member, or the user of the key. Null: staff, whom only the audit log names. */
    userId: p.uuid().nullable(),
    keyId: p.uuid().nullable(),
    client: p.text().nullable(),
    fields: p.json().$type<FieldChanges>(),
    undoes: p.uuid().nullable(),
    /** Bytes of `fields` of all changes of the link up to this one. */
    totalBytes: p.bigint('number'),
  },
});
