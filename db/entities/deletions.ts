import { defineEntity, p } from '@mikro-orm/core';

/**
 * Something that was deleted and whose rows are being removed: the links of one call (by the id of the first), a domain, a
 * folder or an organization (by their own). `links` is how many there were, `toldTo` up to which of them `link.deleted` is
 * out, in the order of ids, and `dueAt` when somebody who is at work on it was to be heard of again.
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
