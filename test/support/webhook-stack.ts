import { noMeter } from '#core/lib/meter.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import { createWebhookActivities, type WebhookDependencies } from '#activities/webhooks/webhooks.ts';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createSealing } from '#adapters/sealing.ts';
import { updateWebhook } from '#commands/webhooks/webhooks.ts';
import type { Mail } from '#core/lib/mail.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { type EventType } from '#core/webhooks/events.ts';
import { anyEvent } from '#test/support/events.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { createWebhookSecret, sealWebhookSecret } from '#core/webhooks/signing.ts';
import { createDatabase, type Database, type Sql, type Transaction } from '#db/connection/database.ts';
import type { RelayPart } from '#relay/loop.ts';
import { createRelay } from '#relay/relay.ts';
import { emOf } from './entity-managers.ts';
import { createOwnedOrganization } from './people.ts';
import { createReceivers, type Receivers } from './receivers.ts';
import { eventually } from './eventually.ts';
import { useFixture } from './fixture.ts';
import { createTestMailer } from './mailer.ts';
import { playWorkflows } from './played-workflows.ts';
import { reachable } from './relay.ts';
import { insertRow } from './rows.ts';
import { createTestDatabase, patientMs } from './stack.ts';
import { silent } from './test-worker.ts';

/** A request that a receiver got. */
export interface Received {
  atMs: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An endpoint of the tests. */
export interface Endpoint {
  url: string;
  received: Received[];
  /** Ids of the events that it answered with a 2xx. */
  accepted: Set<string>;
  /** Answers the next requests; by default with 204. */
  answer: (response: ServerResponse, received: Received) => void | Promise<void>;
}

/** Relay, activities and receivers in one process; the test plays the workflows of webhooks. */
export interface WebhookStack extends AsyncDisposable {
  db: Database;
  relay: RelayPart;
  /** Mails to owners. */
  mails: readonly Mail[];
  /** Starts a receiver that answers 204. */
  endpoint(): Promise<Endpoint>;
  /** Inserts a webhook of an organization of its own, as the API does, or of another's. */
  webhook(url: string, organizationId?: string): Promise<TestWebhook & { organizationId: string }>;
  /** Writes events and wakes the relay. @returns their ids. */
  emit(count: number, organizationId: string): Promise<string[]>;
  /** Changes a webhook, as a member does, and waits until its pump has seen that. */
  update(id: string, change: Parameters<typeof updateWebhook>[3]): Promise<void>;
  hook(id: string): Promise<WebhookView>;
}

/** A webhook's row, as tests look at it. */
interface WebhookView {
  isActive: boolean;
  failures: number;
  reason: string | null;
  toldAt: Date | null;
}

/** A webhook of the tests. */
export interface TestWebhook {
  id: string;
  secret: string;
}

/** Gaps in milliseconds. */
type WebhookStackOptions = Pick<WebhookDependencies, 'gapsMs' | 'probeDelaysMs'> &
  Partial<Pick<WebhookDependencies, 'log' | 'meter'>> & {
    /** Of a request; 30 s unless given. */
    timeoutMs?: number;
  };

/** Answers with a failure. */
export const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end('no');

/** Starts it on a database of its own. */
export function useWebhookStack(options: WebhookStackOptions): WebhookStack {
  return useFixture(() => startWebhookStack(options));
}

async function startWebhookStack({ timeoutMs, ...options }: WebhookStackOptions): Promise<WebhookStack> {
  await using starting = new AsyncDisposableStack();
  const { url } = starting.use(await createTestDatabase());
  const db = starting.adopt(createDatabase({ url, connectTimeoutMs: patientMs }), (pool) => pool.close());
  const em = emOf(db);
  const receivers = starting.adopt(createReceivers(), (all) => all.dispose());
  const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], caFile: receivers.caFile, timeoutMs });
  starting.defer(() => http.close());
  const sealing = createSealing([randomBytes(32).toString('hex')]);
  const mailer = createTestMailer();
  const activities = createWebhookActivities({
    log: silent,
    ...options,
    draining: new AbortController().signal,
    notifications: new EventEmitter(),
    em,
    http,
    sealing,
    mailer,
    signatureHeader: 'X-Service-Signature',
    lingerMs: 0,
  });
  // A pump when it is woken and when something is due, as the workflow `webhook`.
  const { startWorkflow, lose } = playWorkflows(async ({ options: { args } }, run, environment) => {
    const [target] = args as [{ webhookId: string }];
    let woken = Promise.withResolvers<void>();
    environment.on('wake', () => woken.resolve());
    for (;;) {
      woken = Promise.withResolvers();
      const look = await run(() => activities.pump(target));
      if (look.mailDue) await run(() => activities.tellOwner(target));
      if (look.state === 'deleted') return;
      const { sleep, cancelled } = environment.context;
      await Promise.race([woken.promise, cancelled, ...(look.nextInMs === null ? [] : [sleep(look.nextInMs)])]);
    }
  });
  const relay = createRelay({
    db,
    em,
    scansPerDay: 100_000,
    meter: noMeter,
    startWorkflow,
    temporal: reachable,
    log: silent,
    pollEveryMs: 50,
    reconcileEveryMs: 500,
  });
  starting.defer(async () => {
    await relay.stop();
    await lose();
  });
  const resources = starting.move();

  return {
    db,
    relay,
    mails: mailer.mails,
    endpoint: () => startEndpoint(receivers),
    async webhook(address, owner) {
      const organizationId = owner ?? (await createOwnedOrganization(db)).id;
      return { organizationId, ...(await insertTestWebhook(db, sealing, { url: address, organizationId })) };
    },
    async emit(count, organizationId) {
      const ids = await emitEvents(db, count, organizationId);
      relay.wake();
      return ids;
    },
    async update(id, change) {
      await em.transactional((fork) => updateWebhook(fork, 'staff', id, change, { now: new Date() }));
      relay.wake();
      await eventually(
        async () =>
          (await db.query('select from webhooks where id = $1 and looked_at > updated_at', [id])).rowCount === 1,
      );
    },
    async hook(id) {
      const { rows } = await db.query<WebhookView>(
        `select is_active as "isActive", consecutive_failures as failures, disabled_reason as reason,
           told_at as "toldAt"
         from webhooks where id = $1`,
        [id],
      );
      return rows[0]!;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Starts a receiver that answers 204. */
export async function startEndpoint(receivers: Receivers): Promise<Endpoint> {
  const endpoint: Endpoint = {
    url: '',
    received: [],
    accepted: new Set(),
    answer: (response) => void response.writeHead(204).end(),
  };
  const port = await receivers.https((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const received = {
        atMs: performance.now(),
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      };
      endpoint.received.push(received);
      response.on('finish', () => {
        if (response.statusCode < 300) endpoint.accepted.add(String(request.headers['webhook-id']));
      });
      void endpoint.answer(response, received);
    });
  });
  endpoint.url = `https://127.0.0.1:${port}/hook`;
  return endpoint;
}

/** Inserts a webhook, as the API does. */
export async function insertTestWebhook(
  db: Sql,
  sealing: Sealing,
  {
    url,
    organizationId,
    events = ['link.created'],
  }: { url: string; organizationId: string; events?: EventType[] | undefined },
): Promise<TestWebhook> {
  const id = uuidv7();
  const secret = createWebhookSecret();
  await insertRow(db, 'webhooks', {
    id,
    organization_id: organizationId,
    url,
    url_key: url,
    events,
    secret_sealed: sealWebhookSecret(sealing, id, secret),
  });
  return { id, secret };
}

/** Writes events as commands do. @returns their ids. */
export async function emitEvents(db: Transaction, count: number, organizationId: string): Promise<string[]> {
  const events = Array.from({ length: count }, (_, index) =>
    anyEvent('link.created', { organizationId, linkId: uuidv7(), data: { index }, now: new Date() }),
  );
  await insertEvents(db, events);
  return events.map(({ id }) => id);
}

/** The signature over a body alone, as a receiver computes it. */
export function bodySignature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

interface DeliveryView {
  status: string;
  attempts: number;
  responseCode: number | null;
  eventId: string;
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
