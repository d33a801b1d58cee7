import type { EventDraft } from '#core/webhooks/events.ts';
import type { Sql } from '#db/connection/database.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';

/** Writes events, in the transaction of the changes that they report (6.7). */
export async function emit(tx: Sql, events: readonly EventDraft[]): Promise<void> {
  await insertEvents(tx, events);
}
