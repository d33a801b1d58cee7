import { unlessReferenced } from '#db/connection/errors.ts';
import { sql } from 'kysely';
import { deleteSome } from '#db/connection/delete-some.ts';
import type { EntityManager, Tables } from '#db/connection/entity-manager.ts';
import { Deletion } from '#db/entities/installation.ts';
import { Organization } from '#db/entities/accounts/people.ts';
import { Webhook } from '#db/entities/webhooks.ts';
import { lastId } from './deletions.ts';
import { tombstoneLinksOf } from './links.ts';

// Tables of an organization's own rows. No row of one of them refers to a row of a later one.
const ownTables = [
  'IdempotencyKey',
  'Session',
  'Invitation',
  'ApiKey',
  'Domain',
  'QrCode',
  'Tag',
  'UtmTemplate',
  'Folder',
  'Import',
  'ThreatNotice',
  'LinkTotal',
  'ScanDay',
  'Activity',
  'LoggedCall',
  'BotClick',
  'ClickDay',
  'ClickRoll',
  'ClickValue',
  'ClickWeekRoll',
  'ClickWeekValue',
] as const;

const countOfRows = sql<number>`count(*)`.as('count');

/** Each removes some rows of an organization, other than links, clicks and files, in an order that no foreign key refuses. */
const removals: readonly ((em: EntityManager, organizationId: string, limit: number) => Promise<number>)[] = [
  removeDeliveries,
  removeChildren('WebhookRecovery', 'webhook_id', 'webhooks'),
  removeOf('Webhook'),
  removeEvents,
  removeChildren('ImportRow', 'import_id', 'imports'),
  ...ownTables.map(removeOf),
];

function removeOf(table: keyof Tables) {
  return (em: EntityManager, organizationId: string, limit: number): Promise<number> =>
    deleteSome(em, table, sql`organization_id = ${organizationId}`, limit);
}

/** @param key the column that names the parent, a row of the table `parents`. */
function removeChildren(table: keyof Tables, key: string, parents: string) {
  return (em: EntityManager, organizationId: string, limit: number): Promise<number> => {
    const ofOrganization = sql`(select id from ${sql.id(parents)} where organization_id = ${organizationId})`;
    return deleteSome(em, table, sql`${sql.id(key)} in ${ofOrganization}`, limit);
  };
}

async function removeDeliveries({ kysely }: EntityManager, organizationId: string, limit: number): Promise<number> {
  const some = kysely
    .selectFrom('Webhook as w')
    .innerJoin('Delivery as d', 'd.webhookId', 'w.id')
    .select('d.id')
    .where('w.organization', '=', organizationId)
    .limit(limit);
  const { count } = await kysely
    .with('gone', (cte) => cte.deleteFrom('Delivery').where('id', 'in', some).returning('id'))
    .with('attempts', (cte) =>
      cte.deleteFrom('DeliveryAttempt').where('deliveryId', 'in', cte.selectFrom('gone').select('id')),
    )
    .selectFrom('gone')
    .select(countOfRows)
    .executeTakeFirstOrThrow();
  return count;
}

async function removeEvents({ kysely }: EntityManager, organizationId: string, limit: number): Promise<number> {
  const some = kysely.selectFrom('Event').select('id').where('organizationId', '=', organizationId).limit(limit);
  const { count } = await kysely
    .with('gone', (cte) => cte.deleteFrom('Event').where('id', 'in', some).returning('id'))
    .with('queued', (cte) => cte.deleteFrom('QueuedEvent').where('eventId', 'in', cte.selectFrom('gone').select('id')))
    .with('scopes', (cte) => cte.deleteFrom('EventScope').where('eventId', 'in', cte.selectFrom('gone').select('id')))
    .selectFrom('gone')
    .select(countOfRows)
    .executeTakeFirstOrThrow();
  return count;
}

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
export async function removeBelongings(em: EntityManager, organizationId: string, limit: number): Promise<number> {
  for (const removal of removals) {
    const removed = await removal(em, organizationId, limit);
    if (removed > 0) return removed;
  }
  return 0;
}

/**
 * Removes the last rows of an organization: its bots, its memberships, and its own row. Members keep their accounts.
 * @returns false where a concurrent call has added a row at the last moment.
 */
export function removeOrganization(em: EntityManager, organizationId: string): Promise<boolean> {
  return unlessReferenced(em.transactional((em) => removeEmptyOrganization(em, organizationId)));
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
