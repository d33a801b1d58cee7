import { isForeignKeyViolation } from '#db/connection/errors.ts';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Deletion } from '#db/entities/processes.ts';
import { File } from '#db/entities/files.ts';
import { Organization } from '#db/entities/people.ts';
import { Webhook } from '#db/entities/webhooks.ts';
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
   ), queued as (delete from event_queue q using gone where q.event_id = gone.id),
   scopes as (delete from event_scopes s using gone where s.event_id = gone.id)
   select 1 from gone`,
  ...[
    'idempotency_keys',
    'sessions',
    'invitations',
    'api_keys',
    'domains',
    'qr_codes',
    'tags',
    'utm_templates',
    'folders',
  ].map(some),
  `delete from import_rows where ctid = any(array(
     select r.ctid from imports i join import_rows r on r.import_id = i.id where i.organization_id = $1 limit $2))`,
  some('imports'),
  ...['threat_notices', 'link_totals', 'scan_days', 'activities'].map(some),
  ...['click_days', 'click_rolls', 'click_values', 'click_week_rolls', 'click_week_values'].map(some),
];

/** Deletes an organization's domains and webhooks by tombstone: their names are free at once. @returns ids of the domains. */
export async function tombstoneBelongings(em: EntityManager, organizationId: string, now: Date): Promise<string[]> {
  await em.nativeUpdate(Webhook, { organization: organizationId, deletedAt: null }, { deletedAt: now });
  const domains = await em.kysely
    .updateTable('Domain')
    .set({ deletedAt: now, isPrimary: false, updatedAt: now })
    .where('organization', '=', organizationId)
    .where('deletedAt', 'is', null)
    .returning('id')
    .execute();
  return domains.map(({ id }) => id);
}

/**
 * Adds to an organization's deletion the links that a concurrent call has created at the last moment, and the links of
 * deletions that began before it.
 */
export async function takeOverLinks(em: EntityManager, organizationId: string): Promise<void> {
  await em.transactional(
    async (em) => {
      await tombstoneLinksOf(em, 'organization_id', organizationId, { deletionId: organizationId, now: new Date() });
      await em.kysely
        .updateTable('HiddenLink')
        .set({ purgeId: organizationId })
        .where('organizationId', '=', organizationId)
        .where('purgeId', 'is distinct from', organizationId)
        .execute();
      await em.nativeDelete(Deletion, { organizationId, id: { $ne: organizationId } });
      // No webhook is left to receive `link.deleted`.
      await em.nativeUpdate(Deletion, { id: organizationId }, { toldTo: lastId });
      // Minutes for an organization with a million links.
    },
    { statementTimeoutMs: 0 },
  );
}

/**
 * Removes a batch of an organization's rows, other than links, clicks and files. @returns how many; none: there are no more.
 */
// By hand: one statement for each table removes a thousand rows, found by their `ctid` (bench row `deletes`).
export async function removeBelongings(sql: Sql, organizationId: string, limit: number): Promise<number> {
  for (const removal of removals) {
    const { rowCount } = await sql.query(removal, [organizationId, limit]);
    if (rowCount) return rowCount;
  }
  return 0;
}

/** Lists files of an organization whose objects are still to be removed, the first `limit`. */
export function listFilesOf(
  em: EntityManager,
  organizationId: string,
  limit: number,
): Promise<{ id: string; key: string }[]> {
  return em.kysely
    .selectFrom('File')
    .select(['id', 'key'])
    .where('organization', '=', organizationId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Removes the row of a file whose object is removed. */
export async function removeFileOf(em: EntityManager, id: string): Promise<void> {
  await em.nativeDelete(File, { id }, { filters: { live: false } });
}

/**
 * Removes the last rows of an organization: its bots, its memberships, and its own row. Members keep their accounts.
 * @returns false where a concurrent call has added a row at the last moment.
 */
export async function removeOrganization(em: EntityManager, organizationId: string): Promise<boolean> {
  try {
    await em.transactional((em) => removeEmptyOrganization(em, organizationId));
    return true;
  } catch (error) {
    if (isForeignKeyViolation(error)) return false;
    throw error;
  }
}

async function removeEmptyOrganization(em: EntityManager, organizationId: string): Promise<void> {
  const left = await em.kysely
    .deleteFrom('Membership')
    .where('organization', '=', organizationId)
    .returning('user')
    .execute();
  if (left.length > 0) {
    await em.kysely
      .deleteFrom('User as u')
      .where(
        'u.id',
        'in',
        left.map(({ user }) => user),
      )
      .where('u.type', '=', 'bot')
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('Membership as m').select('m.user').whereRef('m.user', '=', 'u.id'))),
      )
      .execute();
  }
  await em.nativeDelete(Deletion, { id: organizationId });
  await em.nativeDelete(Organization, { id: organizationId }, { filters: { live: false } });
}
