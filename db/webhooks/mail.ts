import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ownerEmail } from '#db/organizations/owner-email.ts';
import { failingMailIsDue, offMailIsDue } from './deliveries/sending.ts';

/** A webhook as the mails to its owner tell of it; with which mails are due. */
export type MailedWebhook = NonNullable<Awaited<ReturnType<typeof readMailedWebhook>>>;

/**
 * Reads a webhook for the mails to its owner, with the owner's e-mail. `isOffDue`: it was turned off by its failures, and its
 * owner has not been notified; `isFailingDue`: the same of one that fails.
 */
export function readMailedWebhook(em: EntityManager, id: string) {
  return em.kysely
    .selectFrom('Webhook as w')
    .innerJoin('Organization as o', 'o.id', 'w.organization')
    .where('w.id', '=', id)
    .select(['w.id', 'w.url', 'w.name', 'o.name as organization', 'w.consecutiveFailures', 'w.failingSince'])
    .select(['w.disabledAt', 'w.disabledReason'])
    .select(['w.lastFailureAt', 'w.lastFailureCode', 'w.lastFailureError', 'w.lastFailureBody'])
    .select([
      sql<boolean>`coalesce(${sql.raw(offMailIsDue)}, false)`.as('isOffDue'),
      sql<boolean>`coalesce(${sql.raw(failingMailIsDue)}, false)`.as('isFailingDue'),
    ])
    .select(ownerEmail)
    .executeTakeFirst();
}

export type Missed = Awaited<ReturnType<typeof readMissed>>;

/** Counts what a webhook missed. `since`: when the oldest held event happened; where none is held, the oldest failed one. */
export function readMissed(em: EntityManager, webhookId: string) {
  return em.kysely
    .selectFrom('Delivery as d')
    .innerJoin('Event as e', 'e.id', 'd.event')
    .where('d.webhookId', '=', webhookId)
    .where('d.status', 'in', ['held', 'failed'])
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('d.status', '=', 'held').as('held'),
      fn
        .coalesce(fn.min('e.createdAt').filterWhere('d.status', '=', 'held'), fn.min('e.createdAt'))
        .$castTo<Date | null>()
        .as('since'),
    ])
    .executeTakeFirstOrThrow();
}
