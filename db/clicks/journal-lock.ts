import type { PoolClient } from 'pg';

/** Tries to become the only shipper of a journal, for as long as the connection lives. */
export async function lockJournal(client: PoolClient, journalId: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    lockKey(journalId),
  ]);
  return rows[0]?.locked === true;
}

/** Releases the lock of `lockJournal`. */
export async function unlockJournal(client: PoolClient, journalId: string): Promise<void> {
  await client.query('select pg_advisory_unlock($1)', [lockKey(journalId)]);
}

/** SQL: keys of all journals that are locked now, as `key`. */
export const heldKeys = `
  select (classid::bigint << 32) | objid::bigint as key from pg_locks
  where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())`;

/** SQL: lock key of the journal with this id. */
export const lockKeyOf = (id: string): string => `('x' || right(replace(${id}::text, '-', ''), 16))::bit(64)::bigint`;

function lockKey(journalId: string): string {
  return BigInt.asIntN(64, BigInt(`0x${journalId.replaceAll('-', '').slice(16)}`)).toString();
}
