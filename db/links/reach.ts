import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Reach } from '#core/organizations/reach.ts';

/**
 * Kysely: whether a link `l` is in one of some folders. Links of a deleted folder that are not moved yet are shown in the default
 * one. As an array, so that the plan reads the folders first.
 */
export function isInFolders(organizationId: string, folderIds: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`l.folder_id = any(array(
    select f.id from folders f where f.organization_id = ${organizationId} and case when f.deleted_at is null
      then f.id = any(${folderIds}::uuid[])
      else exists (select from folders d where d.organization_id = f.organization_id and d.is_default
        and d.deleted_at is null and d.id = any(${folderIds}::uuid[])) end))`;
}

/** Kysely: conditions of a link `l` that is within the reach of a key. */
export function conditionsOfReach(organizationId: string, reach: Reach | undefined): RawBuilder<SqlBool>[] {
  const { folderIds = null, domainIds = null } = reach ?? {};
  return [
    ...(folderIds === null ? [] : [isInFolders(organizationId, folderIds)]),
    ...(domainIds === null ? [] : [sql<SqlBool>`l.domain_id = any(${domainIds}::uuid[])`]),
  ];
}

/**
 * SQL: whether a link, by its id, is within the reach of a key. Links of a deleted folder are beyond it until they are moved.
 * @param value adds a parameter to the statement, and returns its name.
 */
export function isLinkInReach(
  linkId: string,
  organization: string,
  { folderIds, domainIds }: Reach,
  value: (parameter: unknown) => string,
): string {
  const conditions = [
    ...(folderIds === null
      ? []
      : [`l.folder_id in (select id from folders where deleted_at is null and id = any(${value(folderIds)}::uuid[]))`]),
    ...(domainIds === null ? [] : [`l.domain_id = any(${value(domainIds)}::uuid[])`]),
  ];
  return `${linkId} in (select l.id from short_links l where l.organization_id = ${organization} and l.deleted_at is null
    and ${conditions.join(' and ')})`;
}
