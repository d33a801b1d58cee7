import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { Database } from '#db/connection/database.ts';
import { type webhook, type WebhookState, type WebhookStatus, webhookStatusQuery } from '#workflows/webhook.ts';
import { eventually } from './eventually.ts';
import { createOwnedOrganization } from './people.ts';
import { type TestWebhook, type WebhookStack } from './webhook-stack.ts';

export interface DeliveryView {
  status: string;
  attempts: number;
  responseCode: number | null;
  eventId: string;
}

export interface WebhookView {
  isActive: boolean;
  failures: number;
  reason: string | null;
  toldAt: Date | null;
}

export interface WebhookViews {
  /** A webhook of an organization of its own. */
  lone(url: string): Promise<TestWebhook & { organizationId: string }>;
  hook(id: string): Promise<WebhookView>;
  /** Waits until there are `count` deliveries and none is pending. */
  settled(id: string, count: number): Promise<DeliveryView[]>;
  handle(id: string): WorkflowHandle<typeof webhook>;
  /** Waits until the webhook's workflow answers that it is in a state. */
  inState(id: string, state: WebhookState): Promise<WebhookStatus>;
}

export function createWebhookViews(stack: WebhookStack): WebhookViews {
  const handle = (id: string): WorkflowHandle<typeof webhook> => stack.client.workflow.getHandle(`webhook/${id}`);
  return {
    async lone(url) {
      const { id: organizationId } = await createOwnedOrganization(stack.db);
      return { organizationId, ...(await stack.webhook(url, { organizationId })) };
    },
    async hook(id) {
      const { rows } = await stack.db.query<WebhookView>(
        `select is_active as "isActive", consecutive_failures as failures, disabled_reason as reason,
           told_at as "toldAt"
         from webhooks where id = $1`,
        [id],
      );
      return rows[0]!;
    },
    settled: (id, count) => settledDeliveries(stack.db, id, count),
    handle,
    async inState(id, state) {
      const query = (): Promise<WebhookStatus | undefined> => handle(id).query(webhookStatusQuery).catch(ifMissing);
      return (await eventually(query, (status) => status?.state === state))!;
    },
  };
}

function ifMissing(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/** Reads the deliveries of a webhook, oldest first. */
export async function readDeliveries(db: Database, webhookId: string): Promise<DeliveryView[]> {
  const { rows } = await db.query<DeliveryView>(
    `select status, attempts, response_code as "responseCode", event_id as "eventId"
     from deliveries where webhook_id = $1 order by id`,
    [webhookId],
  );
  return rows;
}

/** Waits until a webhook has `count` deliveries and none is pending. */
export function settledDeliveries(db: Database, webhookId: string, count: number): Promise<DeliveryView[]> {
  return eventually(
    () => readDeliveries(db, webhookId),
    (rows) => rows.length === count && rows.every(({ status }) => status !== 'pending'),
  );
}
