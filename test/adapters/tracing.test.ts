// @module-tag process
// @module-tag nightly

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createReceivers } from '#test/support/receivers.ts';
import { createTestDatabase, temporalForTest } from '#test/support/stack.ts';
import { insertTestWebhook, startEndpoint } from '#test/support/webhook-stack.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  /** Of the process. */
  service: string;
}

const secretKey = 'a secret key of at least 32 characters';
const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const closing = new AsyncDisposableStack();
const spans: Span[] = [];
let db: Database;
let organization: TestOrganization;
let apiUrl: string;

/** Takes what a collector of OpenTelemetry gets. */
async function collect(request: IncomingMessage): Promise<void> {
  interface Export {
    resourceSpans: {
      resource: { attributes: { key: string; value: { stringValue: string } }[] };
      scopeSpans: { spans: Omit<Span, 'service'>[] }[];
    }[];
  }
  const { resourceSpans } = (await json(request)) as Export;
  for (const { resource, scopeSpans } of resourceSpans) {
    const service = resource.attributes.find(({ key }) => key === 'service.name')!.value.stringValue;
    for (const span of scopeSpans.flatMap(({ spans: some }) => some)) spans.push({ ...span, service });
  }
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-tracing-'));
  closing.defer(() => rm(folder, { recursive: true, force: true }));
  const collector = createServer((request, response) => {
    void collect(request).then(() => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  closing.defer(() => void collector.close());
  const database = closing.use(await createTestDatabase());
  db = closing.adopt(createDatabase({ url: database.url, onError: () => {} }), (pool) => pool.close());
  const receivers = closing.adopt(createReceivers(), (all) => all.dispose());
  const settings = {
    SECRET_KEY: secretKey,
    TEMPORAL_TASK_QUEUE: temporalForTest().taskQueue,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: receivers.caFile,
    WAYMARK_DATA_DIR: folder,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  apiUrl = closing.use(await startProcess('api', database.url, settings)).url;
  closing.use(await startProcess('worker', database.url, settings));
  organization = await createOrganization(db);
  const endpoint = await startEndpoint(receivers);
  await insertTestWebhook(db, createSealing([secretKey]), { url: endpoint.url, organizationId: organization.id });
});
afterAll(() => closing.disposeAsync());

const call = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${apiUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': organization.key, ...headers },
    body: JSON.stringify(body),
  });

test('one trace leads from a call to the outbox, to its workflows, and to the answer of a webhook', async () => {
  const made = await call(
    '/short-link',
    { destination: { type: 'link', value: 'https://example.com/private?token=1' } },
    { traceparent: `00-${callerTrace}-00f067aa0ba902b7-01` },
  );
  expect(made.status).toBe(201);
  const inTrace = (): Span[] => spans.filter(({ traceId }) => traceId === callerTrace);
  const named = (name: string): Span => inTrace().find((span) => span.name === name)!;
  const names = ['POST /short-link', 'outbox threat-scan', 'RunActivity:scanUrls', 'webhook delivery'];
  await eventually(
    () => inTrace().map(({ name }) => name),
    (found) => names.every((name) => found.includes(name)) && found.some((name) => name.startsWith('RunWorkflow:')),
  );
  const [first, outbox, delivery] = [named('POST /short-link'), named('outbox threat-scan'), named('webhook delivery')];
  expect([first.service, outbox.service, delivery.service]).toEqual([
    'waymark api',
    'waymark worker',
    'waymark worker',
  ]);
  expect(first.parentSpanId).toBe('00f067aa0ba902b7');
  expect([outbox.parentSpanId, delivery.parentSpanId]).toEqual([first.spanId, first.spanId]);
  expect(delivery.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 204 } });
  expect(first.attributes).toContainEqual({ key: 'http.route', value: { stringValue: '/short-link' } });
  expect(JSON.stringify(spans)).not.toContain('token=1');
  expect(JSON.stringify(spans)).not.toContain(organization.key);
});
