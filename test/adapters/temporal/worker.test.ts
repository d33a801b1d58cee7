// @module-tag process

import { describe, expect, test } from 'vitest';
import { connectWorker, keepWorking, untilEnded } from '#adapters/temporal/worker.ts';
import { takenQueues, workQueues } from '#core/temporal/task-queues.ts';
import { workflowBundlePath } from '#scripts/build/workflows.ts';
import { eventually } from '#test/support/eventually.ts';
import { temporalForTest } from '#test/support/stack.ts';
import { installSilentRuntime, silent } from '#test/support/test-worker.ts';

describe('the end of a Temporal worker', () => {
  test('a worker whose state is FAILED has ended, although its run never settles', { tags: 'slow' }, async () => {
    let state: 'RUNNING' | 'FAILED' = 'RUNNING';
    const ended = untilEnded({ run: () => new Promise(() => {}), getState: () => state });
    state = 'FAILED';
    await expect(ended).rejects.toThrow('state FAILED');
  });

  test('a worker that stops in order has ended without an error', async () => {
    const worker = { run: () => Promise.resolve(), getState: () => 'STOPPED' as const };
    expect(await untilEnded(worker)).toBeUndefined();
  });
});

test('a worker without its namespace names it at each attempt to begin', async () => {
  installSilentRuntime();
  const { address, taskQueue } = temporalForTest();
  const stopping = new AbortController();
  const connection = await connectWorker({ address }, stopping.signal, silent);
  const reasons: string[] = [];
  const working = keepWorking({
    connection: connection!,
    namespace: 'no-such-namespace',
    queues: takenQueues(taskQueue, workQueues),
    activities: {},
    workflows: { workflowBundle: { codePath: workflowBundlePath } },
    signal: stopping.signal,
    log: silent,
    onWaiting: (reason) => void reasons.push(reason),
    onRunning: () => {},
  });
  await eventually(() => reasons.length === 3);
  stopping.abort();
  expect(await working).toBe(true);
  await connection!.close();
  for (const reason of reasons)
    expect(reason).toMatch(/^the namespace no-such-namespace cannot be used: .*is not found/);
});
