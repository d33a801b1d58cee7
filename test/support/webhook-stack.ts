import { noMeter } from '#core/lib/meter.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import {
  createWebhookActivities,
  type WebhookActivities,
  type WebhookDependencies,
} from '#activities/webhooks/webhooks.ts';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createMailer } from '#adapters/mail.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { createSealing } from '#adapters/sealing.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { type EventType } from '#core/webhooks/events.ts';
import { anyEvent } from '#test/support/events.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { createWebhookSecret, sealWebhookSecret } from '#core/webhooks/signing.ts';
import { createDatabase, type Database, type Sql, type Transaction } from '#db/connection/database.ts';
import { createListener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import type { RelayPart } from '#relay/loop.ts';
import { createRelay } from '#relay/relay.ts';
import { emOf } from './entity-managers.ts';
import { createOwnedOrganization } from './people.ts';
import { createReceivers, type Receivers } from './receivers.ts';
import { reachable } from './relay.ts';
import { insertRow } from './rows.ts';
import { createTestDatabase, patientMs, temporalForTest } from './stack.ts';
import { silent, startWorkerOf, type TestWorker } from './test-worker.ts';

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

/** Relay, worker and receivers in one process. */
export interface WebhookStack extends AsyncDisposable {
  db: Database;
  client: Client;
  taskQueue: string;
  receivers: Receivers;
  sealing: Sealing;
  mailFolder: string;
  worker: TestWorker;
  relay: RelayPart;
  organizationId: string;
  /** Starts a receiver that answers 204. */
  endpoint(): Promise<Endpoint>;
  /** Inserts a webhook, as the API does. */
  webhook(url: string, options?: { events?: EventType[]; organizationId?: string }): Promise<TestWebhook>;
  /** Writes events and wakes the relay. @returns their ids. */
  emit(count: number, organizationId?: string): Promise<string[]>;
}

/** A webhook of the tests. */
export interface TestWebhook {
  id: string;
  secret: string;
}

/** Gaps in milliseconds. */
export interface WebhookStackOptions extends Partial<
  Pick<WebhookDependencies, 'gapsMs' | 'probeDelaysMs' | 'lingerMs' | 'pumpForMs' | 'signatureHeader' | 'log' | 'meter'>
> {
  /** A Temporal of the test's own, in place of the shared one. */
  temporal?: ReturnType<typeof temporalForTest>;
  /** Of a request; 30 s unless given. */
  timeoutMs?: number;
}

/** Answers with a failure. */
export const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end('no');

/** Starts relay and worker on a database of their own. */
export async function startWebhookStack(options: WebhookStackOptions = {}): Promise<WebhookStack> {
  const {
    gapsMs = [100, 150, 200, 250, 300],
    probeDelaysMs = gapsMs,
    signatureHeader = 'X-Service-Signature',
  } = options;
  const { temporal = temporalForTest(), timeoutMs, ...rest } = options;
  const database = await createTestDatabase();
  const db = createDatabase({ url: database.url, connectTimeoutMs: patientMs });
  const receivers = createReceivers();
  const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], caFile: receivers.caFile, timeoutMs });
  const sealing = createSealing([randomBytes(32).toString('hex')]);
  const mailFolder = await mkdtemp(join(tmpdir(), 'waymark-mail-'));
  const mailer = createMailer({ from: 'Waymark <waymark@test.example>', folder: mailFolder, log: silent });
  const notifications = new EventEmitter();
  const listener = createListener({
    url: database.url,
    channels: [channels.deliveries],
    onNotification(_channel, payload) {
      for (const id of payload.split(',')) notifications.emit(id);
    },
    onGap: () => {},
    log: silent,
  });
  await listener.start();
  const activities = (draining: AbortSignal): WebhookActivities =>
    createWebhookActivities({
      lingerMs: 500,
      log: silent,
      ...rest,
      draining,
      notifications,
      em: emOf(db),
      http,
      sealing,
      mailer,
      gapsMs,
      probeDelaysMs,
      signatureHeader,
    });
  const worker = await startWorkerOf(temporal, activities, { names: ['workflows', 'webhooks', 'mail'] });
  const { client, taskQueue } = worker;
  const relay = createRelay({
    db,
    em: emOf(db),
    scansPerDay: 100_000,
    meter: noMeter,
    startWorkflow: createStartWorkflow(worker),
    temporal: reachable,
    log: silent,
    pollEveryMs: 50,
    reconcileEveryMs: 500,
  });
  const { id: organizationId } = await createOwnedOrganization(db);

  return {
    db,
    client,
    taskQueue,
    receivers,
    sealing,
    mailFolder,
    worker,
    relay,
    organizationId,
    endpoint: () => startEndpoint(receivers),
    webhook: (url, { events, organizationId: owner = organizationId } = {}) =>
      insertTestWebhook(db, sealing, { url, organizationId: owner, events }),
    async emit(count, owner = organizationId) {
      const ids = await emitEvents(db, count, owner);
      relay.wake();
      return ids;
    },
    async [Symbol.asyncDispose]() {
      await relay.stop();
      await worker[Symbol.asyncDispose]();
      await listener.close();
      await http.close();
      await receivers.dispose();
      await db.close();
      await database[Symbol.asyncDispose]();
      await rm(mailFolder, { recursive: true, force: true });
    },
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
