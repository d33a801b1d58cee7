import type { ActivityRow } from '#core/audit/activity.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/**
 * SQL: inserts the activities of a parameter, a JSON array of `ActivityRow`. Its rows are `x`, so that a condition may follow.
 * @param parameter as in `$1`.
 */
export function insertActivitiesSql(parameter: string): string {
  return `insert into activities
      (id, organization_id, at, action, subject_id, name, caller, user_id, key_id, client, count, details)
    select x."id", x."organizationId", x."at", x."action", x."subjectId", x."name", x."caller", x."userId", x."keyId",
      x."client", x."count", x."details"
    from jsonb_to_recordset(${parameter}::jsonb) as x("id" uuid, "organizationId" uuid, "at" timestamptz, "action" text,
      "subjectId" uuid, "name" text, "caller" text, "userId" uuid, "keyId" uuid, "client" text, "count" int, "details" jsonb)`;
}

/** Inserts activities, in the transaction of the changes that they report. */
export async function insertActivities(em: EntityManager, rows: readonly ActivityRow[]): Promise<void> {
  if (rows.length > 0) await em.kysely.insertInto('Activity').values(rows).execute();
}
