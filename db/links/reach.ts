import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { Reach } from '#core/organizations/reach.ts';

/** Writes SQL: Kysely's `sql` around values, or `String.raw` around the names of parameters. */
type SqlTag<T> = (text: TemplateStringsArray, ...values: unknown[]) => T;

/**
 * Whether a link `l` is in one of some folders. Links of a deleted folder that are not moved yet are in the default one. As an
 * array, so that the plan reads the folders first.
 */
function isIn<T>(sql: SqlTag<T>, organization: unknown, folderIds: unknown): T {
  return sql`l.folder_id = any(array(
    select f.id from folders f where f.organization_id = ${organization} and case when f.deleted_at is null
      then f.id = any(${folderIds}::uuid[])
      else exists (select from folders d where d.organization_id = f.organization_id and d.is_default
        and d.deleted_at is null and d.id = any(${folderIds}::uuid[])) end))`;
}

/** Kysely: whether a link `l` is shown in one of some folders. */
export function isInFolders(organizationId: string, folderIds: readonly string[]): RawBuilder<SqlBool> {
  return isIn(sql<SqlBool>, organizationId, folderIds);
}

/** Kysely: conditions of a link `l` that is within the reach of a key. */
export function conditionsOfReach(organizationId: string, reach: Reach | undefined): RawBuilder<SqlBool>[] {
  const { folderIds = null, domainIds = null } = reach ?? {};
  return [
    ...(folderIds === null ? [] : [isInFolders(organizationId, folderIds)]),
    ...(domainIds === null ? [] : [sql<SqlBool>`l.domain_id = any(${domainIds}::uuid[])`]),
  ];
}

/** Kysely: the ids of the live links `l` of an organization that are within a reach. */
export function linksWithin(em: EntityManager, { organizationId, reach }: Pick<Actor, 'organizationId' | 'reach'>) {
  let links = em.kysely
    .selectFrom('ShortLink as l')
    .select('l.id')
    .where('l.organization', '=', organizationId)
    .where('l.deletedAt', 'is', null);
  for (const condition of conditionsOfReach(organizationId, reach)) links = links.where(condition);
  return links;
}

/**
 * SQL: the ids of the links that are within the reach of a key.
 * @param value adds a parameter to the statement, and returns its name.
 */
export function linksInReach(
  organization: string,
  { folderIds, domainIds }: Reach,
  value: (parameter: unknown) => string,
): string {
  const conditions = [
    ...(folderIds === null ? [] : [isIn(String.raw, organization, value(folderIds))]),
    ...(domainIds === null ? [] : [`l.domain_id = any(${value(domainIds)}::uuid[])`]),
  ];
  return `select l.id from short_links l where l.organization_id = ${organization} and l.deleted_at is null
    and ${conditions.join(' and ')}`;
}
