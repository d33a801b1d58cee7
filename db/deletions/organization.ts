import { isForeignKeyViolation } from '#db/connection/errors.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import { lastId } from './deletions.ts';
import { tombstoneLinksOf } from './links.ts';

const some = (table: string): string => `
  delete from ${table} where ctid = any(array(select ctid from ${table} where organization_id = $1 limit $2))`;

/**
 * SQL: each removes some rows of an organization, other than links, clicks and files, in an order that no foreign key refuses.
 * `$1` is the organization, `$2` how many rows.
 */
const removals: readonly string[] = [
  `with gone as (
     delete from deliveries where id in (
       select d.id from webhooks w join deliveries d on d.webhook_id = w.id where w.organization_id = $1 limit $2)
     returning id
   ), attempts as (delete from delivery_attempts a using gone where a.delivery_id = gone.id)
   select 1 from gone`,
  `delete from webhook_recoveries where webhook_id in (select id from webhooks where organization_id = $1 limit $2)`,
  some('webhooks'),
  `with gone as (
     delete from events where id in (select id from events where organization_id = $1 limit $2) returning id
   ), queued as (delete from event_queue q using gone where q.event_id = gone.id)
   select 1 from gone`,
  ...['idempotency_keys', 'sessions', 'api_keys', 'domains', 'qr_codes', 'tags', 'folders'].map(some),
  `delete from import_rows where ctid = any(array(
     select r.ctid from imports i join import_rows r on r.import_id = i.id where i.organization_id = $1 limit $2))`,
  some('imports'),
  ...['threat_notices', 'link_totals', 'scan_days'].map(some),
  ...['click_days', 'click_rolls', 'click_values', 'click_week_rolls', 'click_week_values'].map(some),
];

/** Deletes an organization's domains and webhooks by tombstone: their names are free at once. */
export async function tombstoneBelongings(
  tx: Sql,
  organizationId: string,
  now: Date,
): Promise<{ domainIds: string[] }> {
  await tx.query('update webhooks set deleted_at = $2 where organization_id = $1 and deleted_at is null', [
    organizationId,
    now,
  ]);
  const { rows } = await tx.query<{ id: string }>(
    `update domains set deleted_at = $2, is_primary = false, updated_at = $2
     where organization_id = $1 and deleted_at is null returning id`,
    [organizationId, now],
  );
  return { domainIds: rows.map(({ id }) => id) };
}

/** Locks an organization against rows that refer to it. @returns whether it exists and is live. */
export async function lockWholeOrganization(tx: Sql, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('select 1 from organizations where id = $1 and deleted_at is null for update', [
    id,
  ]);
  return rowCount === 1;
}

/** Marks an organization as deleted. */
export async function tombstoneOrganization(tx: Sql, id: string, now: Date): Promise<void> {
  await tx.query('update organizations set deleted_at = $2, updated_at = $2 where id = $1', [id, now]);
}

/**
 * Adds to an organization's deletion the links that a concurrent call has created at the last moment, and the links of
 * deletions that began before it.
 */
export async function takeOverLinks(db: Database, organizationId: string): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tombstoneLinksOf(tx, 'organization_id', organizationId, { deletionId: organizationId, now: new Date() });
      await tx.query(
        'update hidden_links set purge_id = $1 where organization_id = $1 and purge_id is distinct from $1::uuid',
        [organizationId],
      );
      await tx.query('delete from purges where organization_id = $1 and id <> $1', [organizationId]);
      // No webhook is left to receive `link.deleted`.
      await tx.query('update purges set told_to = $2 where id = $1', [organizationId, lastId]);
      // Minutes for an organization with a million links.
    },
    { statementTimeoutMs: 0 },
  );
}

/**
 * Removes a batch of an organization's rows, other than links, clicks and files. @returns how many; none: there are no more.
 */
export async function removeBelongings(sql: Sql, organizationId: string, limit: number): Promise<number> {
  for (const removal of removals) {
    const { rowCount } = await sql.query(removal, [organizationId, limit]);
    if (rowCount) return rowCount;
  }
  return 0;
}

/** Lists files of an organization whose objects are still to be removed, the first `limit`. */
export async function listFilesOf(
  sql: Sql,
  organizationId: string,
  limit: number,
): Promise<{ id: string; key: string }[]> {
  const { rows } = await sql.query<{ id: string; key: string }>(
    'select id, key from files where organization_id = $1 order by id limit $2',
    [organizationId, limit],
  );
  return rows;
}

/** Removes the row of a file whose object is removed. */
export async function removeFileOf(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from files where id = $1', [id]);
}

/**
 * Removes the last rows of an organization: its bots, its memberships, and its own row. Members keep their accounts.
 * @returns false where a concurrent call has added a row at the last moment.
 */
export async function removeOrganization(db: Database, organizationId: string): Promise<boolean> {
  try {
    await db.transaction((tx) => removeEmptyOrganization(tx, organizationId));
    return true;
  } catch (error) {
    if (isForeignKeyViolation(error)) return false;
    throw error;
  }
}

async function removeEmptyOrganization(tx: Sql, organizationId: string): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    'delete from memberships where organization_id = $1 returning user_id as id',
    [organizationId],
  );
  await tx.query(
    `delete from users u where id = any($1::uuid[]) and type = 'bot'
     and not exists (select from memberships where user_id = u.id)`,
    [rows.map(({ id }) => id)],
  );
  await tx.query('delete from purges where id = $1', [organizationId]);
  await tx.query('delete from organizations where id = $1', [organizationId]);
}
