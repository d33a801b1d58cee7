import type { Sql } from '#db/connection/database.ts';
import { onEnqueuedAgain } from '#db/outbox.ts';

/** A domain by its name, lower-case punycode. */
interface NamedDomain {
  id: string;
  organizationId: string;
  domain: string;
}

/** The parts of a domain that a check needs. */
export interface CheckedDomain extends NamedDomain {
  txtRecord: string;
  isVerified: boolean;
  failedChecks: number;
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
  createdAt: Date;
}

/** Reads a live domain of an organization. `lock` holds it until the end of the transaction. */
export async function readCheckedDomain(
  sql: Sql,
  id: string,
  lock: '' | 'for no key update' = '',
): Promise<CheckedDomain | undefined> {
  const { rows } = await sql.query<CheckedDomain>(
    `select id, organization_id as "organizationId", domain, txt_record as "txtRecord", is_verified as "isVerified",
       failed_checks as "failedChecks", last_checked_at as "lastCheckedAt", next_check_at as "nextCheckAt", created_at as "createdAt"
     from domains where id = $1 and organization_id is not null and deleted_at is null ${lock}`,
    [id],
  );
  return rows[0];
}

/** Stores the result of a check; `updated_at` changes with the verification. */
export async function writeCheck(
  tx: Sql,
  id: string,
  { isVerified, failedChecks, nextCheckAt }: { isVerified: boolean; failedChecks: number; nextCheckAt: Date },
  now: Date,
): Promise<void> {
  await tx.query(
    `update domains set is_verified = $2, failed_checks = $3, next_check_at = $4, last_checked_at = $5,
       updated_at = case when is_verified = $2 then updated_at else $5 end
     where id = $1`,
    [id, isVerified, failedChecks, nextCheckAt, now],
  );
}

/** Reads the domains whose actors are to be woken; deleted ones too, so that their actors end. */
export async function listDomainTargets(sql: Sql, ids: readonly string[]): Promise<NamedDomain[]> {
  const { rows } = await sql.query<NamedDomain>({
    name: 'domain_targets',
    text: `select id, organization_id as "organizationId", domain from domains
      where id = any($1::uuid[]) and organization_id is not null`,
    values: [ids],
  });
  return rows;
}

/**
 * Enqueues domains whose check is overdue: a wake-up was lost, or Temporal's state was. At most `limit` of them are under way
 * at once, so that a slow machine is not flooded; a domain that is still overdue after `againMs` gives up its place, and comes
 * after all others.
 * @returns how many.
 */
export async function requeueOverdueDomains(
  sql: Sql,
  { overdueMs, againMs, limit }: { overdueMs: number; againMs: number; limit: number },
): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'domains_overdue',
    text: `
      with under_way as materialized (
        select count(*) as domains from domains
        where deleted_at is null and next_check_at < now() - $1 * interval '1 millisecond'
          and requeued_at >= now() - $2 * interval '1 millisecond'
      ), overdue as materialized (
        select id from domains
        where deleted_at is null and next_check_at < now() - $1 * interval '1 millisecond'
          and (requeued_at is null or requeued_at < now() - $2 * interval '1 millisecond')
        order by requeued_at nulls first, next_check_at
        limit (select greatest($3 - domains, 0) from under_way) for no key update skip locked
      ), marked as (
        update domains d set requeued_at = now() from overdue o where d.id = o.id
      )
      insert into outbox (kind, subject_id) select 'domain', id from overdue order by 2 ${onEnqueuedAgain}`,
    values: [overdueMs, againMs, limit],
  });
  return rowCount ?? 0;
}
