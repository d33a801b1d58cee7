import type { Sql } from './database.ts';

/**
 * Locks an organization's row until the end of the transaction: whoever counts against a quota, or moves a role that one
 * row has, does so one after the other. Rows that merely refer to the organization are inserted meanwhile.
 */
export async function lockOrganization(tx: Sql, organizationId: string): Promise<void> {
  await tx.query('select 1 from organizations where id = $1 for no key update', [organizationId]);
}

/**
 * Lets nobody else make or rename tags of an organization until the end of the transaction. Not by the organization's row:
 * whoever makes links holds their domain and folder by then, and whoever deletes a domain locks the organization before it.
 */
export async function lockTags(tx: Sql, organizationId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`tags ${organizationId}`]);
}

/** Has files of an organization show one after the other: each is counted before the next. */
export async function lockFiles(tx: Sql, organizationId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`files ${organizationId}`]);
}

/** Has imports of an organization begin one after the other: each is counted before the next. */
export async function lockImports(tx: Sql, organizationId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`imports ${organizationId}`]);
}

/**
 * Has those who delete what many links of an organization belong to come one after the other: each holds links, some of
 * which have been moved to what another deletes. Taken before everything else.
 */
export async function lockDeletes(tx: Sql, organizationId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`deletes ${organizationId}`]);
}
