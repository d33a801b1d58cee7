// @module-tag process

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DeterminismViolationError } from '@temporalio/workflow';
import { expect, test } from 'vitest';
import type { PumpResult } from '#activities/webhooks/webhooks.ts';
import { displayNameKey, lastErrorKey, nextAtKey, nextStepKey, stateKey } from '#core/temporal/search-attributes.ts';
import type { WebhookProgress } from '#core/webhooks/progress.ts';
import { eventually } from '#test/support/eventually.ts';
import { historyWithSignals, replay } from '#test/support/histories.ts';
import { eventsPerRun, useWorkflows } from '#test/support/workflows.ts';
import { readMetadata, timersOf } from '#test/support/workflow-metadata.ts';
import { startOfWebhook, type WebhookState, type WebhookStatus, webhookStatusQuery } from '#workflows/webhook.ts';

const workflows = useWorkflows();
const host = 'crm.example';
const hourMs = 3_600_000;

const start = (): Promise<WorkflowHandle> =>
  workflows.start(startOfWebhook({ id: randomUUID(), organizationId: randomUUID(), host }));

/** The result of a pump after which nothing is due. */
const looked = (fields: Partial<PumpResult> = {}): PumpResult => ({
  delivered: 0,
  failed: 0,
  state: 'on',
  isFailing: false,
  consecutiveFailures: 0,
  waiting: 0,
  nextInMs: null,
  mailDue: false,
  lastFailure: null,
  host,
  ...fields,
});

/**
 * Mocks pumps with these results for each webhook, the last of which repeats: a pump of a workflow that the test before has terminated
 * may still come. @returns how many there were of a webhook.
 */
function mockPumps(...results: PumpResult[]): (handle: WorkflowHandle) => number {
  const counts = new Map<string, number>();
  workflows.mock({
    async pump() {
      const { workflowId } = Context.current().info.workflowExecution!;
      const count = counts.get(workflowId) ?? 0;
      counts.set(workflowId, count + 1);
      return results[Math.min(count, results.length - 1)];
    },
  });
  return ({ workflowId }) => counts.get(workflowId) ?? 0;
}

const inState = (handle: WorkflowHandle, state: WebhookState): Promise<WebhookStatus> =>
  eventually(
    () => handle.query(webhookStatusQuery),
    (status) => status.state === state,
  );

async function columnsOf(handle: WorkflowHandle): Promise<unknown[]> {
  const { typedSearchAttributes: columns } = await handle.describe();
  return [displayNameKey, stateKey, lastErrorKey, nextStepKey, nextAtKey].map((key) => columns.get(key));
}

test('wake-ups during a pump lead to one more pump, which finds what they were about', async () => {
  let pumps = 0;
  const ended = Promise.withResolvers<void>();
  workflows.mock({
    async pump() {
      pumps += 1;
      if (pumps === 1) await ended.promise;
      return looked({ delivered: pumps });
    },
  });
  const handle = await start();
  await eventually(() => pumps === 1);
  for (let signal = 0; signal < 5; signal += 1) await handle.signal('wake');
  ended.resolve();
  expect(await inState(handle, 'idle')).toMatchObject({ delivered: 3, failed: 0, waiting: 0, nextAt: null });
  expect(pumps).toBe(2);
  expect(await columnsOf(handle)).toEqual([host, 'idle', undefined, undefined, undefined]);
  await handle.terminate();
});

test('a timer wakes a webhook for a retry', async () => {
  const pumps = mockPumps(looked({ failed: 1, waiting: 1, nextInMs: 20 }), looked({ delivered: 1 }));
  const handle = await start();
  expect(await inState(handle, 'idle')).toMatchObject({ delivered: 1, failed: 1 });
  expect(pumps(handle)).toBe(2);
  // No shorter than 50 ms: clocks of processes differ.
  expect(await timersOf(handle)).toEqual([{ summary: 'Until the next retry', ms: 50 }]);
  await handle.terminate();
});

test('a failing webhook shows its last answer and waits for its probe; a wake-up goes before the timer', async () => {
  const lastFailure = { at: '2026-11-27T00:00:00.000Z', code: 503, error: null };
  const failing = { isFailing: true, consecutiveFailures: 10, waiting: 50, nextInMs: hourMs, lastFailure };
  const pumps = mockPumps(looked({ failed: 10, ...failing }), looked({ delivered: 50 }));
  const handle = await start();
  const { nextAt } = await inState(handle, 'failing');
  expect(Date.parse(nextAt!)).toBeGreaterThan(Date.now() + hourMs / 2);
  expect(await timersOf(handle)).toEqual([{ summary: 'Until the next probe', ms: hourMs }]);
  expect(await columnsOf(handle)).toEqual([host, 'failing', 'status 503', 'next probe', new Date(nextAt!)]);
  const { currentDetails, definition } = await readMetadata(handle);
  expect(currentDetails).toMatch(/- last failure, at \S+Z: status 503/);
  const signals = definition!.signalDefinitions!.filter(({ name }) => !name!.startsWith('__'));
  expect(signals.map(({ name }) => name).toSorted()).toEqual(['pause', 'progress', 'resume', 'wake']);
  for (const { description } of signals) expect(description).toMatch(/^[A-Z].*\.$/);

  await handle.signal('wake');
  expect(await inState(handle, 'idle')).toMatchObject({ delivered: 50, failed: 10, consecutiveFailures: 0 });
  expect(pumps(handle)).toBe(2);
  await handle.terminate();
});

test('a webhook that was turned off is listed with its last answer and what to do, and waits for no time', async () => {
  const lastFailure = { at: '2026-11-27T00:00:00.000Z', code: null, error: 'The connection was refused.' };
  mockPumps(looked({ state: 'off', consecutiveFailures: 18, lastFailure }));
  const handle = await start();
  await inState(handle, 'off');
  expect(await columnsOf(handle)).toEqual([host, 'off', 'The connection was refused.', 'turn it on', undefined]);
  expect(await timersOf(handle)).toEqual([]);
  await handle.terminate();
});

test('an operator stops a webhook, which is woken in vain until the operator lets it go on', async () => {
  const pumps = mockPumps(looked({ waiting: 3, nextInMs: hourMs }), looked({ delivered: 3 }));
  const handle = await start();
  await inState(handle, 'waiting');
  await handle.signal('pause');
  await inState(handle, 'stopped');
  await handle.signal('wake');
  expect(await inState(handle, 'stopped')).toMatchObject({ isStopped: true });
  expect(pumps(handle)).toBe(1);
  await handle.signal('resume');
  expect(await inState(handle, 'idle')).toMatchObject({ delivered: 3, isStopped: false });
  await handle.terminate();
});

test('while a pump is at work, its reports show what waits, the pace and the age of the oldest delivery', async () => {
  const ended = Promise.withResolvers<void>();
  const progress: WebhookProgress = {
    at: '2026-11-27T00:00:02.000Z',
    delivered: 30,
    failed: 0,
    perSecond: 15,
    waiting: 270,
    oldestDueAt: '2026-11-27T00:00:00.000Z',
  };
  workflows.mock({
    async pump() {
      const { client, info } = Context.current();
      await client.workflow.getHandle(info.workflowExecution!.workflowId).signal('progress', progress);
      await ended.promise;
      return looked({ delivered: 300 });
    },
  });
  const handle = await start();
  const details = await eventually(
    async () => (await readMetadata(handle)).currentDetails!,
    (text) => text.includes('- waiting: 270'),
  );
  expect(details).toContain('Sending what is due.');
  expect(details).toMatch(/- the pump under way, up to \S+: 30 delivered, 0 failed; 15 a second now/);
  expect(details).toContain('- the oldest has been due since 2026-11-27T00:00:00.000Z');
  ended.resolve();
  await inState(handle, 'idle');
  await handle.signal('progress', progress);
  const status = await inState(handle, 'idle');
  expect(status).toMatchObject({ delivered: 300, waiting: 0 });
  expect(status).not.toHaveProperty('progress');
  await handle.terminate();
});

test('a mail to the owner is tried again, and is sent once however often a pump finds it due', async () => {
  const attempts: number[] = [];
  let pumps = 0;
  workflows.mock({
    async pump() {
      pumps += 1;
      return looked({ state: 'off', mailDue: attempts.length < 2 });
    },
    async tellOwner() {
      const { attempt } = Context.current().info;
      attempts.push(attempt);
      if (attempt === 1) throw new Error('the server is busy');
    },
  });
  const handle = await start();
  await inState(handle, 'off');
  await handle.signal('wake');
  await eventually(() => attempts.length === 2);
  await handle.signal('wake');
  await eventually(() => pumps === 3);
  expect(attempts).toEqual([1, 2]);
  await handle.terminate();
});

test('a webhook whose mail is taken in no attempt goes on', async () => {
  let pumps = 0;
  workflows.mock({
    pump: async () => looked({ state: 'off', mailDue: (pumps += 1) === 1 }),
    tellOwner: () => Promise.reject(ApplicationFailure.nonRetryable('the server takes no mail')),
  });
  const handle = await start();
  await inState(handle, 'off');
  await handle.signal('wake');
  await eventually(() => pumps === 2);
  expect(await inState(handle, 'off')).toMatchObject({ state: 'off' });
  await handle.terminate();
});

test('a webhook continues as new once the mail to its owner has been sent, has it sent once, and keeps its counts', async () => {
  const mailed = Promise.withResolvers<void>();
  const counts = { pumps: 0, mails: 0 };
  workflows.mock({
    async pump() {
      counts.pumps += 1;
      return looked({ isFailing: true, consecutiveFailures: 10, failed: 1, mailDue: counts.mails === 0 });
    },
    async tellOwner() {
      counts.mails += 1;
      await mailed.promise;
    },
  });
  const first = await start();
  // Not of one run.
  const handle = workflows.client.workflow.getHandle(first.workflowId);
  const wakeUntil = (pumps: number): Promise<number> =>
    eventually(
      async () => {
        await handle.signal('wake');
        return counts.pumps;
      },
      (count) => count >= pumps,
    );
  await wakeUntil(15);
  // Long past the server's suggestion, and in the first run still: the mail is under way.
  const [run] = await workflows.runsOf(first.workflowId);
  const { historyLength } = await handle.describe();
  expect(historyLength).toBeGreaterThan(eventsPerRun);
  mailed.resolve();
  await wakeUntil(counts.pumps + 2);
  const runs = await eventually(
    () => workflows.runsOf(first.workflowId),
    (all) => all.some(({ status: { name } }) => name === 'CONTINUED_AS_NEW'),
  );
  expect(runs.at(-1)).toMatchObject({ runId: run!.runId, status: { name: 'CONTINUED_AS_NEW' } });
  expect(counts.mails).toBe(1);
  const status = await handle.query(webhookStatusQuery);
  expect(status.consecutiveFailures).toBe(10);
  expect(status.failed).toBeGreaterThanOrEqual(15);
  await handle.terminate();
});

// A replay of thousands of signals takes ten seconds of a processor.
test('a mail that hangs lets a history grow to 10,000 events, and no further', { tags: 'nightly' }, async () => {
  const mailed = Promise.withResolvers<void>();
  workflows.mock({ pump: async () => looked({ mailDue: true }), tellOwner: () => mailed.promise });
  const handle = await start();
  await inState(handle, 'idle');
  const histories = [9_000, 10_000].map(async (count) => ({
    workflowId: String(count),
    history: await historyWithSignals(handle, { signalName: 'wake', count }),
  }));
  // Both end in a new run. That is what the workflow does at the longer one, but not yet at the other.
  const errors = await replay(await Promise.all(histories));
  expect(errors.get('10000')).toBeUndefined();
  expect(errors.get('9000')).toBeInstanceOf(DeterminismViolationError);
  mailed.resolve();
  await handle.terminate();
});

test('a webhook that is deleted ends its workflow', async () => {
  mockPumps(looked({ delivered: 1 }), looked({ state: 'deleted', host: '' }));
  const handle = await start();
  await inState(handle, 'idle');
  await handle.signal('wake');
  expect(await handle.result()).toMatchObject({ delivered: 1, host });
});
