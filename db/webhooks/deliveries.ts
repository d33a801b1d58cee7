import type { DeliveredType } from '#core/webhooks/events.ts';
import type { Sql } from '#db/connection/database.ts';
import { askedMeanwhile } from './sending.ts';
import { type Paging, readPage } from '#db/connection/paging.ts';

/** `held`: the webhook was turned off, and the delivery goes out only when it is asked for again. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface DeliveryRow {
  id: string;
  eventId: string;
  type: DeliveredType;
  status: DeliveryStatus;
  /** The status of the last answer; null: there was none, or nothing was sent yet. */
  responseCode: number | null;
  attempts: number;
  createdAt: Date;
  /** When the delivery goes out next; null: not by itself. */
  nextAttemptAt: Date | null;
}

export interface AttemptRow {
  at: Date;
  code: number | null;
  durationMs: number;
  body: string | null;
  error: string | null;
}

/** SQL: the columns of deliveries `d` that make a `DeliveryRow`. */
export const deliveryColumns = `d.id, d.event_id as "eventId", d.type, d.status, d.response_code as "responseCode", d.attempts,
  d.created_at as "createdAt", case when d.status = 'pending' then d.due_at end as "nextAttemptAt"`;

/** Lists the deliveries of a webhook, the most recent first. */
export function listDeliveries(
  sql: Sql,
  filters: Paging & { webhookId: string; status?: DeliveryStatus | undefined; type?: DeliveredType | undefined },
): Promise<{ count: number; rows: DeliveryRow[] }> {
  const { webhookId, status = null, type = null, limit, page } = filters;
  return readPage<DeliveryRow>(sql, {
    limit,
    page,
    columns: deliveryColumns,
    from: `deliveries d where d.webhook_id = $1 and ($2::text is null or d.status = $2) and ($3::text is null or d.type = $3)`,
    orderBy: 'd.id desc',
    values: [webhookId, status, type],
  });
}

/** Reads a delivery of a webhook, with the event's body. */
export async function readDelivery(
  sql: Sql,
  webhookId: string,
  id: string,
): Promise<(DeliveryRow & { body: string }) | undefined> {
  const { rows } = await sql.query<DeliveryRow & { body: string }>(
    `select ${deliveryColumns}, e.body from deliveries d join events e on e.id = d.event_id
     where d.id = $2 and d.webhook_id = $1`,
    [webhookId, id],
  );
  return rows[0];
}

/** The organization of a delivery's webhook; undefined where the webhook is deleted. */
export async function findDeliveryOrganization(sql: Sql, id: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ organizationId: string }>(
    `select w.organization_id as "organizationId" from deliveries d join webhooks w on w.id = d.webhook_id
     where d.id = $1 and w.deleted_at is null`,
    [id],
  );
  return rows[0]?.organizationId;
}

/** Reads the attempts of a delivery, oldest first. */
export async function readAttempts(sql: Sql, deliveryId: string): Promise<AttemptRow[]> {
  const { rows } = await sql.query<AttemptRow>(
    `select at, code, duration_ms as "durationMs", body, error from delivery_attempts
     where delivery_id = $1 order by number`,
    [deliveryId],
  );
  return rows;
}

/** Inserts a delivery that goes out at once; while its webhook fails, as a probe. */
export async function insertUrgentDelivery(
  tx: Sql,
  delivery: { id: string; webhookId: string; eventId: string; type: DeliveredType; now: Date },
): Promise<void> {
  const { id, webhookId, eventId, type, now } = delivery;
  await tx.query(
    `insert into deliveries (id, webhook_id, event_id, type, is_urgent, due_at, created_at)
     values ($1, $2, $3, $4, true, now(), $5)`,
    [id, webhookId, eventId, type, now],
  );
  await probeNow(tx, webhookId);
}

/** Makes the next probe of a failing webhook due now. */
async function probeNow(tx: Sql, webhookId: string): Promise<void> {
  await tx.query('update webhooks set next_probe_at = now() where id = $1 and next_probe_at > now()', [webhookId]);
}

/**
 * Makes a delivery due now, with a new series of tries; while its webhook fails, as a probe. A delivery whose attempt is under
 * way goes out again as soon as that attempt is recorded.
 */
export async function sendAgain(tx: Sql, webhookId: string, id: string): Promise<void> {
  await tx.query(
    `update deliveries set status = 'pending', tries = case when claim is null then 0 else ${askedMeanwhile} end,
       is_urgent = true, due_at = now()
     where id = $1`,
    [id],
  );
  await probeNow(tx, webhookId);
}

/** Holds the pending deliveries of a webhook that is off: they go out only when they are asked for again (6.5). */
export async function holdDeliveries(sql: Sql, webhookId: string): Promise<void> {
  await sql.query({
    name: 'deliveries_hold',
    text: `update deliveries set status = 'held', due_at = null, is_urgent = false where webhook_id = $1 and status = 'pending'`,
    values: [webhookId],
  });
}
