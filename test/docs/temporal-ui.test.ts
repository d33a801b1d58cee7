// @module-tag process

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { connectTemporal } from '#adapters/temporal/client.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { createWorkflows } from '#adapters/temporal/workflows.ts';
import { loadConfig } from '#config/load.ts';
import { displayNameKey, lastErrorKey, nextAtKey, nextStepKey, stateKey } from '#core/temporal/search-attributes.ts';
import type { ProcessView } from '#core/temporal/views.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { startOfDeletion } from '#workflows/deletions.ts';
import { startOfDomain } from '#workflows/domain.ts';
import { startOfWebhook } from '#workflows/webhook.ts';

const images = join(import.meta.dirname, '../../docs/images');
const pictures: Record<string, string> = { failingWebhooks: 'failing-webhooks.png', workflows: 'workflows.png' };
const columns = ['Status', 'Type', 'displayName', 'state', 'lastError', 'nextStep', 'nextAt', 'Workflow ID'];
const organizationId = '01a2015e-cdbc-77ea-b0cd-386593f62d26';
const inMs = (ms: number): Date => new Date(Date.now() + ms);
const webhook = (host: string): WorkflowStart => startOfWebhook({ id: uuidv7(), organizationId, host });
const domain = (name: string): WorkflowStart => startOfDomain({ id: uuidv7(), organizationId, domain: name });
const deletion = (name: string, links: number): WorkflowStart =>
  startOfDeletion({ id: uuidv7(), kind: 'domain', organizationId, links, linkIds: [], names: [name] });

interface Row {
  view?: ProcessView;
  start: WorkflowStart;
  state: string;
  lastError?: string;
  nextStep?: string;
  nextAt?: Date;
}

const rows: Row[] = [
  {
    view: 'failingWebhooks',
    start: webhook('crm.example.net'),
    state: 'failing',
    lastError: 'status 503',
    nextStep: 'next probe',
    nextAt: inMs(240_000),
  },
  {
    view: 'failingWebhooks',
    start: webhook('old.example.org'),
    state: 'off',
    lastError: 'status 410',
    nextStep: 'turn it on',
  },
  { start: webhook('hooks.example.com'), state: 'idle' },
  {
    view: 'waitingDomains',
    start: domain('sale.example.com'),
    state: 'unverified',
    lastError: 'records are not right: TXT, CNAME',
    nextStep: 'next check',
    nextAt: inMs(3_600_000),
  },
  { start: domain('go.example.com'), state: 'verified', nextStep: 'next check', nextAt: inMs(80_000_000) },
  {
    view: 'lockedDeletions',
    start: deletion('spring.example.com', 20_000),
    state: 'locked',
    lastError: '3 s for a lock of psql (process 4711, idle in transaction for 62 s)',
    nextStep: 'end the process that holds it',
  },
  {
    view: 'late',
    start: webhook('shop.example.com'),
    state: 'waiting',
    nextStep: 'next retry',
    nextAt: inMs(-600_000),
  },
];

/** Starts a workflow that no worker takes, as one that has shown a row. */
async function show(client: Client, { start: { type, options }, ...row }: Row): Promise<void> {
  const { state, lastError, nextStep, nextAt } = row;
  const drafted = options.typedSearchAttributes as SearchAttributePair[];
  const typedSearchAttributes: SearchAttributePair[] = [
    ...drafted.filter(({ key }) => key !== stateKey),
    { key: stateKey, value: state },
    ...(lastError === undefined ? [] : [{ key: lastErrorKey, value: lastError }]),
    ...(nextStep === undefined ? [] : [{ key: nextStepKey, value: nextStep }]),
    ...(nextAt === undefined ? [] : [{ key: nextAtKey, value: nextAt }]),
  ];
  await createStartWorkflow({ client, taskQueue: 'waymark' })({ type, options: { ...options, typedSearchAttributes } });
}

const nameOf = ({ start }: Row): string =>
  (start.options.typedSearchAttributes as SearchAttributePair[]).find(({ key }) => key === displayNameKey)!
    .value as string;

// WRITE_IMAGES=1 writes the pictures of docs/.
test.runIf(hasBrowser)(
  'the Temporal UI shows the rows of each view by the links of the console',
  { tags: 'nightly' },
  async () => {
    await using closing = new AsyncDisposableStack();
    const dataDir = closing.adopt(await mkdtemp(join(tmpdir(), 'waymark-ui-')), (path) =>
      rm(path, { recursive: true }),
    );
    const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = process.env;
    const config = loadConfig({ TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir });
    const found = await findTemporalBinary({ cli: config.TEMPORAL_CLI, cacheDir: config.WAYMARK_CACHE_DIR });
    const [port, uiPort] = (await freePorts(2)) as [number, number];
    const server = await startTemporal({ binary: found.path, dataDir, inMemory: true, port, uiPort });
    closing.defer(async () => void (await server.stop({ hurry: true })));
    const namespace = 'default';
    const client = await connectTemporal({ address: server.address, namespace });
    closing.defer(() => client.connection.close());
    for (const row of rows) await show(client, row);
    const workflows = createWorkflows({ client, namespace, taskQueue: 'waymark', uiUrl: `http://127.0.0.1:${uiPort}` });
    const wanted = (view: ProcessView): number => rows.filter((row) => row.view === view).length;
    const views = await eventually(
      () => workflows.countViews(),
      (all) => all.every(({ id, count }) => count === wanted(id)),
    );

    const browser = await startBrowser();
    closing.defer(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1900, height: 640 } });
    await page.addInitScript(
      (labels) =>
        localStorage.setItem(
          'namespace-workflow-table-columns',
          JSON.stringify({ default: labels.map((label) => ({ label })) }),
        ),
      columns,
    );
    for (const { id, url } of [...views, { id: 'workflows', url: views[0]!.url!.split('?')[0]! }]) {
      await page.goto(url!);
      const shown = rows.filter((row) => row.view === id || id === 'workflows');
      const text = await eventually(
        () => page.locator('table').first().innerText(),
        (read) => [...columns, ...shown.map(nameOf)].every((word) => read.includes(word)),
      );
      for (const row of rows) {
        expect(text.includes(nameOf(row))).toBe(shown.includes(row));
        if (row.view === id && row.lastError !== undefined) expect(text).toContain(row.lastError);
      }
      if (process.env.WRITE_IMAGES !== undefined && id in pictures)
        await page.screenshot({ path: join(images, pictures[id]!) });
    }
  },
);
