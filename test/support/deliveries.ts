import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '#db/connection/database.ts';
import { claimDeliveries } from '#db/webhooks/deliveries/sending.ts';
import { createOrganization } from './factories.ts';

/** Columns of a delivery of the tests. */
export interface TestDelivery {
  type?: string;
  status?: string;
  attempts?: number;
  tries?: number;
  claim?: string | null;
  is_urgent?: boolean;
  due_at?: Date | null;
  response_code?: number | null;
  /** Part of the event's body. */
  text?: string;
}

/** Inserts a webhook of an organization of its own. @returns its id. */
export async function createTestWebhook(db: Sql, { isActive = true, failures = 0 } = {}): Promise<string> {
  const id = uuidv7();
  const { id: organizationId } = await createOrganization(db);
  await db.query(
    `insert into webhooks (id, organization_id, url, url_key, events, secret_sealed, is_active, consecutive_failures)
     values ($1, $2, 'https://a.example/', $1::uuid::text, '{link.created}', '', $3, $4)`,
    [id, organizationId, isActive, failures],
  );
  return id;
}

/** Inserts an event of the webhook's organization and its delivery, as the fan-out does. @returns ids and body. */
export async function createDelivery(
  db: Sql,
  webhookId: string,
  { type = 'link.created', status = 'pending', text = 'Grüße', ...rest }: TestDelivery = {},
): Promise<{ id: string; eventId: string; body: string }> {
  const [id, eventId] = [uuidv7(), uuidv7()];
  const {
    attempts = 0,
    tries = 0,
    claim = null,
    is_urgent: isUrgent = false,
    response_code: responseCode = null,
  } = rest;
  const dueAt = rest.due_at === undefined ? (status === 'pending' ? new Date() : null) : rest.due_at;
  const body = JSON.stringify({ id: eventId, type, createdAt: new Date().toISOString(), data: { text } });
  await db.query(
    `insert into events (id, organization_id, type, body)
     select $2, organization_id, $3, $4 from webhooks where id = $1`,
    [webhookId, eventId, type, body],
  );
  await db.query(
    `insert into deliveries (id, webhook_id, event_id, type, status, attempts, tries, claim, is_urgent, due_at, response_code)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [id, webhookId, eventId, type, status, attempts, tries, claim, isUrgent, dueAt, responseCode],
  );
  return { id, eventId, body };
}

/** Claims due deliveries as the one pump of their webhook. */
export async function claimAsPump(
  db: Sql,
  { webhookId, pumpId, limit }: { webhookId: string; pumpId: string; limit: number },
): ReturnType<typeof claimDeliveries> {
  await db.query('update webhooks set pump = $2 where id = $1', [webhookId, pumpId]);
  return claimDeliveries(db, { webhookId, pumpId, limit });
}

/** The kinds of a subject's rows in the outbox. */
export async function outboxOf(db: Sql, subjectId: string): Promise<string[]> {
  const { rows } = await db.query<{ kind: string }>('select kind from outbox where subject_id = $1', [subjectId]);
  return rows.map(({ kind }) => kind);
}
