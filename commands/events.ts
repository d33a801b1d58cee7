import type { EventDraft } from '#core/webhooks/events.ts';
import type { Transaction } from '#db/connection/database.ts';
import { sendEvents } from '#db/webhooks/insert-events.ts';

/** Writes events, in the transaction of the changes that they report (6.7). */
export async function emit(tx: Transaction, events: readonly EventDraft[]): Promise<void> {
  await sendEvents(tx, events);
}
