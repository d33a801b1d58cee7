import type { Sql } from '#db/connection/database.ts';
import { onEnqueuedAgain } from '#db/outbox.ts';

/** A domain by its name, lower-case punycode. */
interface NamedDomain {
  id: string;
  organizationId: string;
  domain: string;
}

// By hand: the relay runs it for each batch of the outbox.
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

// By hand: one statement finds, marks and enqueues domains, whose rows relays of several processes skip while one holds them.
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
