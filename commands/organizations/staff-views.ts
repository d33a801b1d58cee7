import { uuidv7 } from '#core/lib/uuid.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { StaffView } from '#db/entities/accounts/people.ts';
import { recordAction } from './audit.ts';

// Long enough to look into a complaint; a forgotten view ends soon.
const longestMs = 60 * 60_000;

interface StaffSession {
  id: string;
  userId: string;
}

/**
 * Lets staff look at an organization by their session, read-only, for an hour. Another view of the session ends. The caller records the
 * beginning. @returns when it ends.
 */
export async function beginView(
  em: EntityManager,
  { id, userId }: StaffSession,
  { organizationId, reason }: { organizationId: string; reason: string },
  now: Date,
): Promise<Date> {
  await endView(em, id, now);
  const until = new Date(now.getTime() + longestMs);
  const view = { id: uuidv7(), session: id, userId, organizationId, reason, beganAt: now, until };
  await em.persist(em.create(StaffView, view)).flush();
  return until;
}

/** Ends the view of a session, if there is one, and records the end. @returns whether there was one. */
export async function endView(em: EntityManager, sessionId: string, now: Date): Promise<boolean> {
  const view = await em.findOne(StaffView, { session: sessionId });
  if (view === null) return false;
  await forget(em, view, now);
  return true;
}

/** Ends views whose time is over, or whose session has ended, and records their ends. */
export async function endOldViews(em: EntityManager, now: Date): Promise<void> {
  const ids = await em.find(
    StaffView,
    { $or: [{ until: { $lte: now } }, { session: null }] },
    { fields: ['id'], limit: 1_000 },
  );
  for (const { id } of ids) {
    await em.fork().transactional(async (em) => {
      const view = await em.findOne(StaffView, { id });
      if (view !== null) await forget(em, view, now);
    });
  }
}

async function forget(em: EntityManager, view: StaffView, now: Date): Promise<void> {
  // Another call, or housekeeping, may have ended it in the meantime.
  if ((await em.nativeDelete(StaffView, { id: view.id })) === 0) return;
  const { userId, organizationId, beganAt, until } = view;
  const endedAt = until < now ? until : now;
  await recordAction(
    em,
    {
      caller: 'staff',
      userId,
      action: 'organizations.endView',
      organizationId,
      subjectId: organizationId,
      details: { beganAt: beganAt.toISOString(), endedAt: endedAt.toISOString() },
    },
    now,
  );
}
