import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '#db/connection/database.ts';
import { containing } from '#db/connection/paging.ts';
import type { StaffListQuery } from './staff-lists.ts';

/** A line of the audit log. */
export interface AuditRow {
  id: string;
  at: Date;
  /** The user; of a sign-in, the account that was tried. Null: a caller without an account, or an unknown account. */
  userId: string | null;
  /** A caller without an account: `cli:` and the name of the operating system's user. */
  actor?: string | null;
  /** A procedure (`organizations.suspend`), a command (`org suspend`), or an event (`auth.loginFailed`). */
  action: string;
  /** Organization of the subject; null where it has none. */
  organizationId: string | null;
  /** Id of the row that was changed or read. */
  subjectId: string | null;
  /** Further input of the call, without secrets. */
  details: Record<string, unknown>;
}

/** A line as it is listed. */
export interface AuditListRow extends AuditRow {
  actor: string | null;
  email: string | null;
  /** Occurrences in the hour that began with `at`, or just before. */
  count: number;
  lastAt: Date;
}

const keptFor = `interval '1 year'`;
const hourMs = 60 * 60 * 1_000;

/** Inserts a line, in the transaction of the change that it reports. */
export async function insertAuditRow(tx: Sql, row: AuditRow): Promise<void> {
  const { id, at, userId, actor = null, action, organizationId, subjectId, details } = row;
  await tx.query(
    `insert into audit_log (id, at, user_id, actor, action, organization_id, subject_id, details)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, at, userId, actor, action, organizationId, subjectId, JSON.stringify(details)],
  );
}

/** Adds details to a line that are known only later. */
export async function completeAuditRow(
  sql: Sql,
  id: string,
  { organizationId, subjectId, details }: Partial<Pick<AuditRow, 'organizationId' | 'subjectId' | 'details'>>,
): Promise<void> {
  await sql.query(
    `update audit_log set organization_id = coalesce($2, organization_id), subject_id = coalesce($3, subject_id),
       details = details || $4::jsonb where id = $1`,
    [id, organizationId ?? null, subjectId ?? null, JSON.stringify(details ?? {})],
  );
}

/**
 * Counts occurrences that may be any number: one line stands for all of a kind, of one user and subject, in one hour of the
 * clock, so that a flood takes no more room than one. The line keeps the details of the last occurrence.
 * @param row without an organization, the line gets the subject's.
 * @param kind tells lines apart that are otherwise alike.
 */
export async function countAudit(sql: Sql, row: Omit<AuditRow, 'id'>, kind = ''): Promise<void> {
  const { at, userId, action, organizationId, subjectId, details } = row;
  const hour = Math.floor(at.getTime() / hourMs);
  const bucket = hash('sha256', JSON.stringify([hour, action, userId, organizationId, subjectId, kind]), 'base64url');
  await sql.query(
    `insert into audit_log (id, at, user_id, action, organization_id, subject_id, details, last_at, bucket)
     values ($1, $2, $3, $4, coalesce($5::uuid,
         (select id from organizations where id = $6),
         (select organization_id from short_links where id = $6),
         (select organization_id from domains where id = $6),
         (select organization_id from webhooks where id = $6)), $6, $7, $2, $8)
     on conflict (bucket) do update set count = audit_log.count + 1, last_at = excluded.last_at, details = excluded.details`,
    [uuidv7(), at, userId, action, organizationId, subjectId, JSON.stringify(details), bucket],
  );
}

/**
 * Lists lines, the most recent first, with e-mail addresses.
 * @param query `search` finds a part of the action, of the e-mail or of the CLI's user, and the id of a subject.
 */
export async function listAudit(
  sql: Sql,
  { organizationId, search, cursor, limit }: StaffListQuery,
): Promise<AuditListRow[]> {
  const { rows } = await sql.query<AuditListRow>(
    `select a.id, a.at, a.user_id as "userId", u.email, a.actor, a.action, a.organization_id as "organizationId",
       a.subject_id as "subjectId", a.details, a.count, coalesce(a.last_at, a.at) as "lastAt"
     from audit_log a left join users u on u.id = a.user_id
     where ($1::uuid is null or a.organization_id = $1) and ($2::uuid is null or a.id < $2)
       and ($3::text is null or a.action ilike $4 or u.email ilike $4 or a.actor ilike $4 or a.subject_id::text = lower($3))
     order by a.id desc limit $5`,
    [organizationId ?? null, cursor ?? null, search ?? null, containing(search ?? ''), limit],
  );
  return rows;
}

/** Removes lines that are more than a year old (12.4). */
export async function forgetOldAudit(sql: Sql): Promise<void> {
  await sql.query(`delete from audit_log where at < now() - ${keptFor}`);
}
