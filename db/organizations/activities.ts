import type { ActivityAction, ActivityRow } from '#core/organizations/activity.ts';
import type { Sql, Transaction } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/paging.ts';

/**
 * SQL: inserts the activities of a parameter, a JSON array of `ActivityRow`. Its rows are `x`, so that a condition may follow.
 * @param parameter as in `$1`.
 */
export function insertActivitiesSql(parameter: string): string {
  return `insert into activities
      (id, organization_id, at, action, subject_id, name, caller, user_id, key_id, count, details)
    select x."id", x."organizationId", x."at", x."action", x."subjectId", x."name", x."caller", x."userId", x."keyId", x."count",
      x."details"
    from jsonb_to_recordset(${parameter}::jsonb) as x("id" uuid, "organizationId" uuid, "at" timestamptz, "action" text,
      "subjectId" uuid, "name" text, "caller" text, "userId" uuid, "keyId" uuid, "count" int, "details" jsonb)`;
}

/** Inserts activities, in the transaction of the changes that they report. */
export async function insertActivities(tx: Transaction, rows: readonly ActivityRow[]): Promise<void> {
  if (rows.length === 0) return;
  // By hand: each create and change of a link runs it (bench rows C1 and calls).
  await tx.send({ name: 'insert_activities', text: insertActivitiesSql('$1'), values: [JSON.stringify(rows)] });
}

/** Which activities of an organization are listed. Undefined: any. */
export interface ActivityQuery {
  actions: readonly ActivityAction[];
  subjectId?: string | undefined;
  userId?: string | undefined;
  keyId?: string | undefined;
  since?: Date | undefined;
  /** Not included. */
  until?: Date | undefined;
  /** Continues after this one. */
  after?: Position | undefined;
  limit: number;
}

/** An activity as it is listed, with the present name of its caller. */
export type ActivityView = Awaited<ReturnType<typeof listActivities>>[number];

/** Lists activities of an organization, the most recent first. */
export function listActivities(
  em: EntityManager,
  organizationId: string,
  { actions, subjectId, userId, keyId, since, until, after, limit }: ActivityQuery,
) {
  let query = em.kysely
    .selectFrom('Activity as a')
    .select(['a.id', 'a.at', 'a.action', 'a.subjectId', 'a.name', 'a.caller', 'a.keyId', 'a.count'])
    // The alias keeps the name: the joined tables call this column `user`.
    .select('a.userId as callerId')
    .select('a.details')
    .select(({ fn, selectFrom }) =>
      fn
        .coalesce(
          selectFrom('ApiKey as k').select('k.name').whereRef('k.id', '=', 'a.keyId'),
          selectFrom('User as u').select('u.name').whereRef('u.id', '=', 'a.userId').where('a.caller', '=', 'member'),
        )
        .as('callerName'),
    )
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
export async function forgetOldActivities(sql: Sql, now: Date, limit: number): Promise<boolean> {
  const lastYear = new Date(now);
  lastYear.setUTCFullYear(now.getUTCFullYear() - 1);
  // By hand: found by their blocks, which an index by time of insertion names, and removed by `ctid`.
  const { rowCount } = await sql.query(
    'delete from activities where ctid = any(array(select ctid from activities where at < $1 limit $2))',
    [lastYear, limit],
  );
  return rowCount === limit;
}
