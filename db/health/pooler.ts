import type { Pool } from 'pg';

/** The database is reached through a pooler that gives a connection no session of its own. */
export class PoolerError extends Error {}

const protocolViolation = '08P01';
const rounds = 3;
const advice =
  'Waymark listens for notifications and holds advisory locks, which need sessions: let DATABASE_URL and EDGE_DATABASE_URL lead to PostgreSQL itself, or to a pooler in session mode';

/**
 * Refuses a pooler in transaction mode, as PgBouncer's `pool_mode = transaction`: there two connections share a session of the server,
 * or one has several, and notifications and locks are lost without an error.
 * @throws PoolerError that names it.
 */
export async function requireSessions(pool: Pool): Promise<void> {
  const { isShared, isSeveral } = await readSessions(pool).catch((error: Error & { code?: string }) => {
    // PgBouncer refuses settings that a connection begins with, unless it is told to ignore them.
    if (error.code !== protocolViolation || !error.message.includes('startup parameter')) throw error;
    throw new PoolerError(
      `The database is reached through a pooler (PgBouncer) that refuses settings of a connection: ${error.message}. ${advice}, with ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,options`,
      { cause: error },
    );
  });
  if (isShared || isSeveral)
    throw new PoolerError(
      `The database is reached through a pooler in transaction mode (PgBouncer: pool_mode = transaction): ${isShared ? 'two connections share one session' : 'one connection has several sessions'}. ${advice}.`,
    );
}

/** Whether two connections, open at the same time, share a session, and whether one of them has several. */
async function readSessions(pool: Pool): Promise<{ isShared: boolean; isSeveral: boolean }> {
  const clients = [await pool.connect()];
  try {
    clients.push(await pool.connect());
    const seen = clients.map(() => new Set<number>());
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, client] of clients.entries()) {
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
        seen[index]!.add(rows[0]!.pid);
      }
    }
    const [first, second] = seen as [Set<number>, Set<number>];
    return { isShared: [...first].some((pid) => second.has(pid)), isSeveral: first.size > 1 || second.size > 1 };
  } finally {
    for (const client of clients) client.release();
  }
}
