import type { EventDraft } from '#core/webhooks/events.ts';
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

/** Inserts events, in the transaction of the change that they tell of (6.7). */
export async function insertEvents(tx: Sql, events: readonly EventDraft[]): Promise<void> {
  if (events.length === 0) return;
  // By hand: creates, and each batch of a deletion, run it (bench rows C1 and D1).
  await tx.query({ name: 'insert_events', text: insertEventsSql('$1'), values: [JSON.stringify(events)] });
}
