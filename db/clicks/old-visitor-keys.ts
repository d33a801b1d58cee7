import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockTable } from '#db/connection/locks.ts';
import { VisitorKey } from '#db/entities/clicks.ts';
import { type Month, monthOf } from './visitor-keys.ts';

// Promised (5.2): a key outlives its month by two days.
const keptAfterMonthMs = 2 * 86_400_000;

/**
 * Destroys the keys of months that ended more than two days before `now` (5.2), in the table's file too.
 * @returns the months.
 */
export async function destroyVisitorKeys(em: EntityManager, now: Date): Promise<Month[]> {
  const firstKept = monthOf(now.getTime() - keptAfterMonthMs);
  if ((await em.count(VisitorKey, { month: { $lt: firstKept } })) === 0) return [];
  return em.transactional(async (em) => {
    // A second worker waits here, and then finds no old key.
    await lockTable(em, 'visitor_keys', 'access exclusive');
    const keys = await em.kysely.selectFrom('VisitorKey').selectAll().orderBy('month').execute();
    // A deleted row's bytes stay in the file until they are overwritten, and a vacuum leaves them there while an older
    // transaction is open. TRUNCATE begins a new file: the rows that stay are written again.
    await em.createQueryBuilder(VisitorKey).truncate().execute();
    const kept = keys.filter(({ month }) => month >= firstKept);
    // By Kysely: a statement of an entity would have the keys in its text, which logs show.
    if (kept.length > 0) await em.kysely.insertInto('VisitorKey').values(kept).execute();
    return keys.map(({ month }) => month).filter((month) => month < firstKept);
  });
}
