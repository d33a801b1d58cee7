import type { EventDraft } from '#core/webhooks/events.ts';
import type { Transaction } from '#db/connection/database.ts';
import { insertEventsStatement } from '#db/webhooks/insert-events.ts';

/**
 * Writes events, in the transaction of the changes that they report (6.7), without waiting for the database: the transaction fails with its
 * error.
 */
export async function emit(tx: Transaction, events: readonly EventDraft[]): Promise<void> {
  if (events.length > 0) await tx.send(insertEventsStatement(events));
}
