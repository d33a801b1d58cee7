import { defineEntity, p } from '@mikro-orm/core';

/** A line of the audit log. It outlives people, organizations and subjects: no foreign keys. */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: p.uuid().primary(),
    at: p.datetime(3).index('audit_log_at_idx'),
    userId: p.uuid().nullable().index('audit_log_user_id_idx'),
    action: p.text(),
    organizationId: p.uuid().nullable(),
    subjectId: p.uuid().nullable(),
    details: p.json(),
    actor: p.text().nullable(),
    count: p.integer().default(1),
    lastAt: p.datetime(3).nullable(),
    bucket: p.text().nullable().unique('audit_log_bucket_key'),
  },
  indexes: [{ name: 'audit_log_organization_id_idx', properties: ['organizationId', 'id'] }],
});
