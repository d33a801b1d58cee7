import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Repository } from '#db/connection/repository.ts';
import { PasswordReset } from '#db/entities/accounts/people.ts';
import { requeueFound } from '#db/outbox-rows.ts';

export const resetLivesMs = 60 * 60_000;

export class PasswordResetRepository extends Repository<PasswordReset> {
  /** Finds the request of an account whose link works, with its user. */
  findLive(id: string, now: Date): Promise<PasswordReset | null> {
    const user = { deletedAt: null, email: { $ne: null } };
    return this.findOne({ id, expiresAt: { $gt: now }, user }, { populate: ['user'], refresh: true });
  }

  /** Removes the requests of a user: their links stop working. */
  async endAllOf(userId: string): Promise<void> {
    await this.nativeDelete({ user: userId });
  }
}

const isToMail = (now: Date) => ({ user: { $ne: null }, mailedAt: null, expiresAt: { $gt: now } });

/** Finds which of some requests are to be mailed. */
export async function listResetTargets(em: EntityManager, ids: readonly string[]): Promise<{ id: string }[]> {
  return em.find(PasswordReset, { id: [...ids], ...isToMail(new Date()) }, { fields: ['id'] });
}

// Longer than the mail of a request takes while nothing fails.
const overdueMs = 30_000;

/** Enqueues requests again that are not mailed yet, `limit` at most. @returns how many. */
export function requeueOverdueResets(em: EntityManager, limit: number): Promise<number> {
  const now = new Date();
  const overdue = {
    ...isToMail(now),
    createdAt: { $lt: new Date(now.getTime() - overdueMs) },
  };
  return requeueFound(em, 'password-reset', (em) =>
    em.find(PasswordReset, overdue, { fields: ['id'], orderBy: { createdAt: 'asc' }, limit }),
  );
}
