import type { Sql } from './database.ts';
import { containing } from './page.ts';
import type { StaffListQuery } from './staff-lists.ts';

/** What one of the staff did. */
export interface AuditRow {
  id: string;
  at: Date;
  userId: string;
  /** The procedure: `organizations.suspend`. */
  action: string;
  /** Whose it is what was changed; null where nobody's. */
  organizationId: string | null;
  /** What was changed. */
  subjectId: string | null;
  /** More of what was asked for, without secrets. */
  details: Record<string, unknown>;
}

const keptFor = `interval '1 year'`;

/** Writes what one of the staff does, in the transaction that does it. */
export async function insertAuditRow(tx: Sql, row: AuditRow): Promise<void> {
  const { id, at, userId, action, organizationId, subjectId, details } = row;
  await tx.query(
    `insert into audit_log (id, at, user_id, action, organization_id, subject_id, details)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, at, userId, action, organizationId, subjectId, JSON.stringify(details)],
  );
}

/**
 * Lists what the staff did, the most recent first, with their e-mail addresses.
 * @param query `search` finds a part of the action or of the e-mail, and the id of what was changed.
 */
export async function listAudit(
  sql: Sql,
  { organizationId, search, cursor, limit }: StaffListQuery,
): Promise<(AuditRow & { email: string | null })[]> {
  const { rows } = await sql.query<AuditRow & { email: string | null }>(
    `select a.id, a.at, a.user_id as "userId", u.email, a.action, a.organization_id as "organizationId",
       a.subject_id as "subjectId", a.details
     from audit_log a left join users u on u.id = a.user_id
     where ($1::uuid is null or a.organization_id = $1) and ($2::uuid is null or a.id < $2)
       and ($3::text is null or a.action ilike $4 or u.email ilike $4 or a.subject_id::text = lower($3))
     order by a.id desc limit $5`,
    [organizationId ?? null, cursor ?? null, search ?? null, containing(search ?? ''), limit],
  );
  return rows;
}

/** Removes what was done more than a year ago (12.4). */
export async function forgetOldAudit(sql: Sql): Promise<void> {
  await sql.query(`delete from audit_log where at < now() - ${keptFor}`);
}
