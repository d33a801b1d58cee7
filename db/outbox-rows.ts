import { raw } from '@mikro-orm/postgresql';
import { sql, type SqlBool, type UpdateObject } from 'kysely';
import type { EntityManager, Tables } from './connection/entity-manager.ts';
import { anyId } from '#db/any-of.ts';
import { OutboxRow } from './entities/installation.ts';
import { type ClaimedRow, enqueue, mustNotWait, type OutboxKind, parkAfterAttempts } from './outbox.ts';

/** Lists rows for operators: parked ones first, then by age. `dueAt` is the next try, or the end of a relay's lease. */
export function listOutbox(
  em: EntityManager,
  { kind, isParked, limit }: { kind?: OutboxKind | undefined; isParked?: boolean | undefined; limit: number },
) {
  let query = em.kysely
    .selectFrom('OutboxRow')
    .select(['id', 'kind', 'subjectId', 'attempts', 'createdAt', 'dueAt', 'parkedAt', 'lastError'])
    .orderBy((eb) => eb('parkedAt', 'is', null))
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (isParked !== undefined) query = query.where('parkedAt', isParked ? 'is not' : 'is', null);
  return query.execute();
}

// No relay holds a row whose attempts are 0, and no kind delays its first attempt for so long: it is a scan past the daily budget.
const isPostponed = sql<boolean>`attempts = 0 and due_at > now() + interval '5 minutes'`;

/**
 * Makes rows due at once, with all their attempts: parked ones, those that wait after a failure, and scans that wait for the
 * next day's budget, which may be larger by now.
 * @returns them.
 */
export async function retryOutbox(
  em: EntityManager,
  { id, kind }: { id?: number | undefined; kind?: OutboxKind | undefined },
): Promise<{ id: number; kind: OutboxKind; subjectId: string }[]> {
  // Lock order: outbox rows by kind and subject (docs/locks.md).
  let query = em.kysely
    .selectFrom('OutboxRow')
    .select(['id', 'kind', 'subjectId'])
    .where(({ eb, or }) => or([eb('parkedAt', 'is not', null), eb('lastError', 'is not', null), isPostponed]))
    .orderBy('kind')
    .orderBy('subjectId')
    .forUpdate();
  if (id !== undefined) query = query.where('id', '=', id);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  const rows = await query.execute();
  if (rows.length === 0) return [];
  const createdAt = raw('case when parked_at is null then created_at else now() end');
  const ids = rows.map((row) => row.id);
  await em.nativeUpdate(OutboxRow, { id: ids }, { dueAt: raw('now()'), attempts: 0, createdAt, parkedAt: null });
  em.wakeRelaysAfterCommit();
  return rows;
}

/** Keeps rows whose handling failed: the gap grows from 1 s to 5 min, and after the twentieth attempt a row is parked. */
export async function fail(em: EntityManager, rows: readonly ClaimedRow[], error: string): Promise<void> {
  await putBack(em, rows, {
    lastError: error.slice(0, 500),
    dueAt: sql`now() + least(interval '5 minutes', interval '1 second' * power(2, least(attempts, 20) - 1))`,
    parkedAt: sql`case when attempts >= ${parkAfterAttempts} then now() end`,
  });
}

/** Gives rows back without counting the attempt, since a service that they need is unreachable. Due again after `delayMs`. */
export async function release(em: EntityManager, rows: readonly ClaimedRow[], delayMs = 0): Promise<void> {
  await putBack(em, rows, {
    dueAt: sql`now() + ${delayMs} * interval '1 millisecond'`,
    attempts: sql`greatest(attempts - 1, 0)`,
  });
}

async function putBack(
  { kysely }: EntityManager,
  rows: readonly ClaimedRow[],
  changes: UpdateObject<Tables, 'OutboxRow'>,
): Promise<void> {
  if (rows.length === 0) return;
  // Locks in the order of `enqueue` (docs/locks.md): the two cannot deadlock.
  const locked = kysely
    .selectFrom('OutboxRow')
    .select('id')
    .where('id', '=', sql<number>`any(${rows.map(({ id }) => id)}::bigint[])`)
    .orderBy('kind')
    .orderBy('subjectId')
    .forUpdate();
  await kysely.updateTable('OutboxRow').set(changes).where('id', 'in', locked).execute();
}

/** State of the outbox: rows that wait for a relay, rows parked after too many failures, age of the oldest row that must not wait. */
interface OutboxHealth {
  waiting: number;
  parked: number;
  oldestMs: number;
}

export async function outboxHealth(em: EntityManager): Promise<OutboxHealth> {
  const kinds = await outboxByKind(em);
  const sum = (count: 'waiting' | 'parked'): number => kinds.reduce((total, kind) => total + kind[count], 0);
  return {
    waiting: sum('waiting'),
    parked: sum('parked'),
    oldestMs: Math.max(0, ...kinds.map((kind) => kind.oldestMs)),
  };
}

/** Counts waiting and parked rows by kind; kinds without rows are left out. */
export function outboxByKind(em: EntityManager): Promise<(OutboxHealth & { kind: OutboxKind })[]> {
  return em.kysely
    .selectFrom('OutboxRow')
    .select(({ fn }) => {
      const oldest = fn.min('createdAt').filterWhere(sql<SqlBool>`${sql.raw(mustNotWait)}`);
      return [
        'kind',
        fn.countAll<number>().filterWhere('parkedAt', 'is', null).as('waiting'),
        fn.countAll<number>().filterWhere('parkedAt', 'is not', null).as('parked'),
        sql<number>`coalesce(extract(epoch from now() - ${oldest}) * 1000, 0)::float8`.as('oldestMs'),
      ];
    })
    .groupBy('kind')
    .orderBy('kind')
    .execute();
}

// A deletion or an import that no activity has touched for this long counts as lost. With the relay's interval that
// is below a minute (12.5).
export const silenceMs = 30_000;

/** When work counts as lost that is touched now, and then not for `restMs` and half a minute; by the database's clock. */
export function dueAfter(restMs = 0) {
  return sql<Date>`now() + ${restMs + silenceMs} * interval '1 millisecond'`;
}

/** Enqueues what `find` finds, in one transaction. @returns how many. */
export function requeueFound(
  em: EntityManager,
  kind: OutboxKind,
  find: (em: EntityManager) => Promise<readonly { id: string }[]>,
): Promise<number> {
  return em.transactional(async (em) => {
    const ids = (await find(em)).map(({ id }) => id);
    await enqueue(em, kind, ids);
    return ids.length;
  });
}

/** Enqueues deletions or imports again that no activity has touched in time, `limit` at most. @returns how many. */
export function requeueSilent(em: EntityManager, kind: 'purge' | 'import', limit: number): Promise<number> {
  const table = kind === 'purge' ? 'Deletion' : 'Import';
  return requeueFound(em, kind, async ({ kysely }) => {
    const rows = await kysely
      .selectFrom(table)
      .select('id')
      .where('dueAt', '<', sql<Date>`now()`)
      .orderBy('dueAt')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    const ids = rows.map(({ id }) => id);
    await kysely.updateTable(table).set({ dueAt: dueAfter() }).where('id', '=', anyId(ids)).execute();
    return rows;
  });
}
