import type { EventDraft } from '#core/webhooks/events.ts';
import type { QueryConfig } from 'pg';
import type { Sql } from '#db/connection/database.ts';

/**
 * SQL: inserts the events of a parameter, a JSON array of `EventDraft`. Its rows are `x`, so that a condition may follow.
 * @param parameter as in `$1`.
 */
export function insertEventsSql(parameter: string): string {
  return `insert into events (id, organization_id, type, link_id, body, created_at)
    select x."id", x."organizationId", x."type", x."linkId", x."body", x."createdAt"
    from jsonb_to_recordset(${parameter}::jsonb) as x("id" uuid, "organizationId" uuid, "type" text, "linkId" uuid,
      "body" text, "createdAt" timestamptz)`;
}

// By hand, every statement of this file: changes of links, and each batch of a deletion, run it (bench rows `calls` and D1).
/** The statement that inserts events; their list is not empty. */
export function insertEventsStatement(events: readonly EventDraft[]): QueryConfig {
  return { name: 'insert_events', text: insertEventsSql('$1'), values: [JSON.stringify(events)] };
}

/** Inserts events, in the transaction of the change that they tell of. */
export async function insertEvents(tx: Sql, events: readonly EventDraft[]): Promise<void> {
  if (events.length > 0) await tx.query(insertEventsStatement(events));
}
