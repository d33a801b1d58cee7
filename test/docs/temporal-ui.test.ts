// @module-tag process

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { Page } from 'playwright-core';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { withHeartbeat } from '#activities/turn.ts';
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
import { startWorkerOf } from '#test/support/test-worker.ts';
import { startOfDeletion } from '#workflows/deletions.ts';
import { startOfDomain } from '#workflows/domain.ts';
import { startOfWebhook } from '#workflows/webhook.ts';

const images = join(import.meta.dirname, '../../docs/images');
const pictures: Record<string, string> = { failingWebhooks: 'failing-webhooks.png', workflows: 'workflows.png' };
const columns = ['Status', 'Type', 'displayName', 'state', 'lastError', 'nextStep', 'nextAt', 'Workflow ID'];
const [namespace, taskQueue] = ['default', 'waymark'];
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
  await createStartWorkflow({ client, taskQueue })({ type, options: { ...options, typedSearchAttributes } });
}

const nameOf = ({ start }: Row): string =>
  (start.options.typedSearchAttributes as SearchAttributePair[]).find(({ key }) => key === displayNameKey)!
    .value as string;

// What docs/processes/walkthroughs.md tells of.
const sale = 'sale.example.com';
const pages: { start: WorkflowStart; picture: string; lines: string[] }[] = [
  {
    start: startOfWebhook({ id: '01a2015e-d200-730b-bc12-d6e3ad05f741', organizationId, host: 'crm.example.net' }),
    picture: 'webhook.png',
    lines: ['The endpoint fails', 'failures in a row: 10', 'status 503', 'waiting: 40, at its last look', 'next probe'],
  },
  {
    start: startOfDomain({ id: '01a20163-1575-7064-9075-95b7aefb9539', organizationId, domain: sale }),
    picture: 'domain.png',
    lines: [
      'Not verified',
      'needed: CNAME sale.example.com: edge.example.com\n',
      'found: CNAME sale.example.com: nothing there\n',
    ],
  },
  {
    start: startOfDeletion({
      id: '01a2017d-5f9e-7361-85eb-7f3acfc2a34a',
      kind: 'domain',
      organizationId,
      links: 20_000,
      linkIds: [],
      names: ['spring.example.com'],
    }),
    picture: 'delete-with-progress.png',
    lines: ['Removing', 'links removed: 10200; left: 9000', 'clicks removed: 103034'],
  },
];

/** Activities that answer as those of the walkthroughs. @param removed ends the turn that is under way. */
function standing(removed: Promise<void>): object {
  let turns = 0;
  const record = { found: [], ok: false };
  return {
    pump: async () => ({
      state: 'on',
      isFailing: true,
      delivered: 33,
      failed: 30,
      consecutiveFailures: 10,
      waiting: 40,
      nextInMs: 240_000,
      mailDue: false,
      lastFailure: { at: new Date().toISOString(), code: 503, error: null },
      host: 'crm.example.net',
    }),
    checkDomain: async () => ({
      isGone: false,
      isVerified: false,
      failedChecks: 4,
      nextInMs: 3_600_000,
      check: {
        outcome: 'wrong',
        result: 'unchanged',
        checkedAt: new Date().toISOString(),
        records: [
          {
            ...record,
            type: 'TXT',
            name: `_waymark.${sale}`,
            expected: 'waymark-verify=0de4a6f1',
            found: ['waymark-verify=copied-from-elsewhere'],
          },
          { ...record, type: 'CNAME', name: sale, expected: 'edge.example.com' },
          { ...record, type: 'A', name: sale, expected: null, found: ['198.51.100.7'] },
        ],
      },
    }),
    tellOfDeletes: async () => ({ told: 19_500, more: false }),
    settleDelete: async () => ({ waitMs: 1 }),
    async removeDeletedLinks() {
      turns += 1;
      if (turns > 1) await withHeartbeat(() => removed);
      return { links: 10_200, clicks: 103_034, rows: 0, linksLeft: 9_000, more: true };
    },
  };
}

/** Starts a server with a UI, and a browser. */
async function startUi(closing: AsyncDisposableStack) {
  const dataDir = closing.adopt(await mkdtemp(join(tmpdir(), 'waymark-ui-')), (path) => rm(path, { recursive: true }));
  const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = process.env;
  const config = loadConfig({ TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir });
  const found = await findTemporalBinary({ cli: config.TEMPORAL_CLI, cacheDir: config.WAYMARK_CACHE_DIR });
  const [port, uiPort] = (await freePorts(2)) as [number, number];
  const { address, stop } = await startTemporal({ binary: found.path, dataDir, inMemory: true, port, uiPort });
  closing.defer(async () => void (await stop({ hurry: true })));
  const client = await connectTemporal({ address, namespace });
  closing.defer(() => client.connection.close());
  const browser = await startBrowser();
  closing.defer(() => browser.close());
  return { address, client, browser, uiUrl: `http://127.0.0.1:${uiPort}` };
}

// WRITE_IMAGES=1 writes the pictures of docs/.
async function writePicture(page: Page, name: string): Promise<void> {
  if (process.env.WRITE_IMAGES !== undefined) await page.screenshot({ path: join(images, name) });
}

test.runIf(hasBrowser)(
  'the Temporal UI shows the rows of each view by the links of the console',
  { tags: 'nightly' },
  async () => {
    await using closing = new AsyncDisposableStack();
    const { client, browser, uiUrl } = await startUi(closing);
    for (const row of rows) await show(client, row);
    const workflows = createWorkflows({ client, namespace, taskQueue, uiUrl });
    const wanted = (view: ProcessView): number => rows.filter((row) => row.view === view).length;
    const views = await eventually(
      () => workflows.countViews(),
      (all) => all.every(({ id, count }) => count === wanted(id)),
    );

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
      if (id in pictures) await writePicture(page, pictures[id]!);
    }
  },
);

test.runIf(hasBrowser)(
  'the Temporal UI shows what a webhook, a domain and a deletion are about, and how they stand',
  { tags: 'nightly' },
  async () => {
    await using closing = new AsyncDisposableStack();
    const { address, client, browser, uiUrl } = await startUi(closing);
    const removing = Promise.withResolvers<void>();
    const worker = await startWorkerOf({ address, namespace, taskQueue }, () => standing(removing.promise));
    closing.use(worker);
    // Before the worker ends.
    closing.defer(() => removing.resolve());
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    for (const { start, picture, lines } of pages) {
      const { workflowId } = start.options;
      await createStartWorkflow({ client, taskQueue })(start);
      const { runId } = await client.workflow.getHandle(workflowId).describe();
      await page.goto(`${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}/${runId}/history`);
      await page.getByText('User Metadata').click();
      // The UI shows such texts in frames.
      const readAll = () => Promise.all(page.frames().map((frame) => frame.locator('body').innerText()));
      const wanted = [start.options.staticSummary!, ...lines];
      const texts = await eventually(readAll, (read) => wanted.every((line) => read.join('\n').includes(line)));
      for (const line of wanted) expect(texts.join('\n')).toContain(line);
      await writePicture(page, picture);
    }
  },
);
