import type { PoolClient } from 'pg';

/** Tries to become the only shipper of a journal, for as long as the connection lives. */
export function lockJournal(client: PoolClient, journalId: string): Promise<boolean> {
  return ask(client, 'pg_try_advisory_lock', journalId);
}

/** Releases the lock of `lockJournal`. */
export async function unlockJournal(client: PoolClient, journalId: string): Promise<void> {
  await ask(client, 'pg_advisory_unlock', journalId);
}

// By hand: the edge, which loads no ORM, locks on the connection that ships (bench row I1).
async function ask(
  client: PoolClient,
  lock: 'pg_try_advisory_lock' | 'pg_advisory_unlock',
  journalId: string,
): Promise<boolean> {
  const { rows } = await client.query<{ isDone: boolean }>(`select ${lock}($1) as "isDone"`, [lockKey(journalId)]);
  return rows[0]!.isDone;
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
