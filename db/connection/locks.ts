import type { Sql } from './database.ts';

/**
 * Locks an organization's row until the end of the transaction: counting against a quota, and moving a role that one row has,
 * happen one after the other. Rows that refer to the organization can be inserted meanwhile.
 */
export async function lockOrganization(tx: Sql, organizationId: string): Promise<void> {
  // Named, so that PostgreSQL plans it once: most commands run it.
  const text = 'select 1 from organizations where id = $1 for no key update';
  await tx.query({ name: 'lock_organization', text, values: [organizationId] });
}

/**
 * Locks a part of an organization until the end of the transaction; of transactions that lock it, each waits for those before.
 * - `tags`: no other transaction creates or renames one. Not the organization's row: creates of links hold their domain and
 *   folder by then, while the delete of a domain locks the organization first.
 * - `utm templates`, `files`, `imports`: they are made, shown and begun one after the other, each counted before the next.
 * - `deletes` of folders, tags and domains: each locks many links, some of which another may have just moved. First in the lock
 *   order (docs/locks.md).
 */
export async function lockPart(
  tx: Sql,
  part: 'tags' | 'utm templates' | 'files' | 'imports' | 'deletes',
  organizationId: string,
): Promise<void> {
  await lockName(tx, `${part} ${organizationId}`);
}

/** Locks a name until the end of the transaction: of transactions that lock one name, each waits for those before. */
export async function lockName(tx: Sql, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}

/** As `lockName`, without waiting. @returns false where another transaction has the lock. */
export async function tryLockName(tx: Sql, name: string): Promise<boolean> {
  const { rows } = await tx.query<{ isLocked: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "isLocked"',
    [name],
  );
  return rows[0]!.isLocked;
}

/** Locks a table until the end of the transaction. @param mode of PostgreSQL's table locks. */
export async function lockTable(tx: Sql, table: string, mode: 'exclusive' | 'access exclusive'): Promise<void> {
  await tx.query(`lock table ${table} in ${mode} mode`);
}
