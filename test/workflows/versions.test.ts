// @module-tag nightly

import { randomUUID } from 'node:crypto';
import { heartbeat } from '@temporalio/activity';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkQueue } from '#core/temporal/task-queues.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordHistory } from '#test/support/histories.ts';
import { temporalForTest } from '#test/support/stack.ts';
import { startWorkerOf, type TestWorker } from '#test/support/test-worker.ts';
import { startOfDomain } from '#workflows/domain.ts';
import { startOfImport } from '#workflows/imports.ts';
import { startOfInvitation } from '#workflows/invitation.ts';
import { startOfLinkReport } from '#workflows/link-report.ts';
import { startOfWebhook, type WebhookStatus } from '#workflows/webhook.ts';

// Two versions of the workers side by side on the run's Temporal (docs/rollouts.md), with activities that do nothing.
// By day `replay.test.ts` does, with the histories of the runs that move on. `test/drills/rollout.test.ts` does the same with whole workers
// and the commands of the page.

const temporal = temporalForTest();
const names: readonly WorkQueue[] = ['workflows', 'webhooks', 'mail', 'bulk'];
const id = randomUUID();
const organizationId = 'o';
const link = { organizationId, domain: 'go.example', slug: 'a' };

/** Which version ran each activity, in order. */
const ran: Record<string, string[]> = {};
/** Ends the turn of the import that is under way. */
let endTurn = Promise.withResolvers<void>();
const workers = new Map<string, TestWorker>();

async function startVersion(buildId: string): Promise<TestWorker> {
  const note = (activity: string): number => (ran[activity] ??= []).push(buildId);
  const activities = {
    async pump() {
      note('pump');
      const state = { state: 'on', isFailing: false, nextInMs: null, mailDue: false, host: 'hook.example' };
      return { ...state, delivered: 1, failed: 0, consecutiveFailures: 0, waiting: 0, lastFailure: null };
    },
    async checkDomain() {
      note('checkDomain');
      return { isGone: false, isVerified: true, failedChecks: 0, nextInMs: 3_600_000, check: null };
    },
    async lookAtInvitation() {
      note('lookAtInvitation');
      return { openForMs: 3_600_000 };
    },
    async readReport() {
      note('readReport');
      return { state: 'open', reports: 1, reasons: {} };
    },
    async importLinks() {
      const turn = note('importLinks');
      const beating = setInterval(() => heartbeat(), 200);
      await endTurn.promise;
      clearInterval(beating);
      endTurn = Promise.withResolvers();
      return { state: turn < 3 ? 'running' : 'completed', total: 3, imported: turn, skipped: 0, failed: 0 };
    },
  };
  const worker = await startWorkerOf(temporal, () => activities, { buildId, names });
  workers.set(buildId, worker);
  return worker;
}

/** As `temporal worker deployment set-current-version` does: it is refused until the version's workers poll. */
async function setCurrent(buildId: string): Promise<void> {
  const { client, taskQueue } = workers.get(buildId)!;
  const request = { namespace: temporal.namespace, deploymentName: taskQueue, buildId, identity: 'test' };
  await eventually(
    () => client.workflowService.setWorkerDeploymentCurrentVersion(request).catch(() => undefined),
    (answer) => answer !== undefined,
  );
}

const entities = [
  {
    start: startOfWebhook({ id, organizationId, host: 'hook.example' }),
    activity: 'pump',
    history: 'webhook-new-version',
  },
  {
    start: startOfDomain({ id, organizationId, domain: 'go.example' }),
    activity: 'checkDomain',
    history: 'domain-new-version',
  },
  { start: startOfInvitation({ id, organizationId }), activity: 'lookAtInvitation', history: 'invitation-new-version' },
  {
    start: startOfLinkReport({ ...link, id, linkId: 'l' }),
    activity: 'readReport',
    history: 'link-report-new-version',
  },
];
const importStart = startOfImport({
  id,
  organizationId,
  organization: 'Example',
  format: 'csv',
  total: 3,
  imported: 0,
  state: 'pending',
});

beforeAll(async () => {
  await startVersion('old');
  await setCurrent('old');
});
afterAll(() => Promise.all([...workers.values()].map((worker) => worker[Symbol.asyncDispose]())));

test('what has begun ends in the version that began it, and entities move on when they are woken, there and back', async () => {
  const { client, taskQueue } = workers.get('old')!;
  const ranBy = (activity: string) => ran[activity]?.at(-1);
  const haveAllRun = (buildId: string) => entities.every(({ activity }) => ranBy(activity) === buildId);
  /** Wakes what has not moved again and again, as a queue hears of another current version a moment later. */
  const wakeUntilAllRanBy = (buildId: string) =>
    eventually(async () => {
      const resting = entities.filter(({ activity }) => ranBy(activity) !== buildId);
      for (const { start } of resting) await client.workflow.getHandle(start.options.workflowId).signal('wake');
      await setTimeout(300);
      return haveAllRun(buildId);
    });
  // Each pump delivers one; a webhook that is woken twice may pump twice.
  const hasDelivered = async (count: number) => {
    const status = await client.workflow.getHandle(`webhook/${id}`).query<WebhookStatus>('status');
    return status.state === 'idle' && status.delivered >= count;
  };
  for (const { type, options } of [...entities.map(({ start }) => start), importStart])
    await client.workflow.start(type, { ...options, taskQueue });
  const firstRuns = await Promise.all(
    entities.map(async ({ start }) => {
      const { workflowId } = start.options;
      const { runId } = await client.workflow.getHandle(workflowId).describe();
      return client.workflow.getHandle(workflowId, runId);
    }),
  );
  await eventually(() => haveAllRun('old'));
  await eventually(() => ranBy('importLinks') === 'old');

  await startVersion('new');
  await setCurrent('new');
  await wakeUntilAllRanBy('new');
  for (const [index, { history }] of entities.entries()) await recordHistory(history, firstRuns[index]!);
  // Turns that begin after the change are those of the version that began the import.
  for (let turn = 1; turn <= 3; turn += 1) {
    await eventually(() => ran.importLinks!.length === turn);
    endTurn.resolve();
  }
  expect(await client.workflow.getHandle(importStart.options.workflowId).result()).toMatchObject({ imported: 3 });
  expect(ran.importLinks).toEqual(['old', 'old', 'old']);
  // What the webhook knew has come along.
  expect(await eventually(() => hasDelivered(2))).toBe(true);

  await setCurrent('old');
  await wakeUntilAllRanBy('old');
  expect(await eventually(() => hasDelivered(3))).toBe(true);
});
