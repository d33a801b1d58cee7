import { defineEntity, p } from '@mikro-orm/core';

/** Something that one of the staff did. It outlives people, organizations and subjects: no foreign keys. */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: p.uuid().primary(),
    at: p.datetime(3).index('audit_log_at_idx'),
    userId: p.uuid(),
    action: p.text(),
    organizationId: p.uuid().nullable(),
    subjectId: p.uuid().nullable(),
    details: p.json(),
  },
  indexes: [{ name: 'audit_log_organization_id_idx', properties: ['organizationId', 'id'] }],
});
