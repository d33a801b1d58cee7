import { defineEntity, p } from '@mikro-orm/core';

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
    toldTo: p.uuid(),
    deletedAt: p.datetime(3),
    dueAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    { name: 'purges_due_at_idx', properties: ['dueAt'] },
    { name: 'purges_organization_id_idx', properties: ['organizationId'] },
  ],
});
