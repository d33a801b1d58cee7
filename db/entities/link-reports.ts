import { defineEntity, p } from '@mikro-orm/core';
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
