import { callerName } from '#db/audit/caller-name.ts';
import { sql } from 'kysely';
import type { ActivityAction } from '#core/audit/activity.ts';
import { deleteSome } from '#db/connection/delete-some.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/lists/paging.ts';

/** Which activities of an organization are listed. Undefined: any. */
interface ActivityQuery {
  actions: readonly ActivityAction[];
  subjectId?: string | undefined;
  userId?: string | undefined;
  keyId?: string | undefined;
  since?: Date | undefined;
  /** Not included. */
  until?: Date | undefined;
  after?: Position | undefined;
  limit: number;
}

export type ActivityView = Awaited<ReturnType<typeof listActivities>>[number];

/** Lists activities of an organization, the most recent first. */
export function listActivities(
  em: EntityManager,
  organizationId: string,
  { actions, subjectId, userId, keyId, since, until, after, limit }: ActivityQuery,
) {
  let query = em.kysely
    .selectFrom('Activity as a')
    .select(['a.id', 'a.at', 'a.action', 'a.subjectId', 'a.name', 'a.caller', 'a.keyId', 'a.client', 'a.count'])
    // The alias keeps the name: the joined tables call this column `user`.
    .select('a.userId as callerId')
    .select('a.details')
    .select(callerName('a', "a.caller = 'member'").as('callerName'))
    .where('a.organizationId', '=', organizationId)
    .orderBy('a.id', 'desc')
    .limit(limit);
  query = query.where('a.action', 'in', actions);
  if (subjectId !== undefined) {
    // Of a link's create the id is the subject's, and the index of subjects leaves it out.
    query = query.where(({ and, eb, or, ref }) =>
      or([eb('a.id', '=', subjectId), and([eb('a.subjectId', '=', subjectId), eb('a.subjectId', '<>', ref('a.id'))])]),
    );
  }
  if (userId !== undefined) query = query.where('a.userId', '=', userId);
  if (keyId !== undefined) query = query.where('a.keyId', '=', keyId);
  if (since !== undefined) query = query.where('a.at', '>=', since);
  if (until !== undefined) query = query.where('a.at', '<', until);
  if (after !== undefined) query = query.where('a.id', '<', after.id);
  return query.execute();
}

/** Removes activities that are more than a year old, `limit` at most. @returns whether there may be others. */
export async function forgetOldActivities(em: EntityManager, now: Date, limit: number): Promise<boolean> {
  const lastYear = new Date(now);
  lastYear.setUTCFullYear(now.getUTCFullYear() - 1);
  // The blocks of old rows are found by an index of times.
  return (await deleteSome(em, 'Activity', sql`at < ${lastYear}`, limit)) === limit;
}
