import type { EventDraft } from '#core/webhooks/events.ts';
import type { Sql } from '#db/connection/database.ts';

/** Writes events, in the transaction of the changes that they report (6.7). */
export async function emit(tx: Sql, events: readonly EventDraft[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query({
    name: 'emit-events',
    text: `insert into events (id, organization_id, type, link_id, body, created_at)
      select x."id", x."organizationId", x."type", x."linkId", x."body", x."createdAt"
      from jsonb_to_recordset($1::jsonb) as x("id" uuid, "organizationId" uuid, "type" text, "linkId" uuid, "body" text,
        "createdAt" timestamptz)`,
    values: [JSON.stringify(events)],
  });
}
