import type { output } from 'zod';
import type { auditPageSchema } from '#api/audit/schema.ts';
import type { AuditCategory } from '#core/audit/audit.ts';
import { addressOf } from './client.ts';
import { pagesQuery } from './query.ts';

type AuditPage = output<typeof auditPageSchema>;
export type AuditLine = AuditPage['data'][number];

interface AuditFilter {
  categories?: AuditCategory | undefined;
  userId?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

const perPage = 50;

/** Lines of the audit log, most recent first, page after page. */
export function auditQuery(filter: AuditFilter) {
  return pagesQuery<AuditPage>(['audit', filter], '/organization/audit', { ...filter, limit: perPage });
}

/** Address of the lines as a file. */
export function auditExportAddress(filter: AuditFilter, format: 'csv' | 'json'): string {
  return addressOf('/organization/audit/export', { query: { ...filter, format } });
}
