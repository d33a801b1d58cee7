import type { EntityManager } from '#db/connection/entity-manager.ts';
import { AccountNotice } from '#db/entities/accounts/people.ts';
import { requeueFound } from '#db/outbox-rows.ts';

// Later a notice is no news.
const mailedWithinMs = 86_400_000;
// Longer than a mail takes while nothing fails.
const overdueMs = 30_000;

const waits = (now: Date) => ({ mailedAt: null, createdAt: { $gt: new Date(now.getTime() - mailedWithinMs) } });

/** Finds a notice that is to be mailed, with its person. */
export function findNotice(em: EntityManager, id: string, now: Date): Promise<AccountNotice | null> {
  const user = { deletedAt: null, email: { $ne: null } };
  return em.findOne(AccountNotice, { id, ...waits(now), user }, { populate: ['user'], refresh: true });
}

/** Finds which of some notices are to be mailed. */
export function listNoticeTargets(em: EntityManager, ids: readonly string[]): Promise<{ id: string }[]> {
  return em.find(AccountNotice, { id: [...ids], ...waits(new Date()) }, { fields: ['id'] });
}

/** Enqueues notices again that are not mailed yet, `limit` at most. @returns how many. */
export function requeueOverdueNotices(em: EntityManager, limit: number): Promise<number> {
  const now = new Date();
  const overdue = { $and: [waits(now), { createdAt: { $lt: new Date(now.getTime() - overdueMs) } }] };
  return requeueFound(em, 'account-notice', (em) =>
    em.find(AccountNotice, overdue, { fields: ['id'], orderBy: { createdAt: 'asc' }, limit }),
  );
}
