import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { createPolling } from '#adapters/temporal/polling.ts';
import { captureLog } from '#test/support/captured-log.ts';
import { eventually } from '#test/support/eventually.ts';

/** An error of gRPC by its code. */
const refusal = (code: number): Error => Object.assign(new Error('refused'), { code, details: '', metadata: {} });

test('a worker whose namespace is lost has a problem until it is back; what the service does not tell is none', async () => {
  let fault: Error | undefined;
  const seconds = Math.floor(Date.now() / 1_000);
  const client = {
    withDeadline: (_: number, call: () => unknown) => call(),
    workflowService: {
      async describeTaskQueue() {
        if (fault !== undefined) throw fault;
        return { pollers: [{ identity: 'own', lastAccessTime: { seconds } }] };
      },
    },
  } as unknown as Client;
  const log = { info: () => {}, warn: () => {} };
  const queues = [{ taskQueue: 'q', hasWorkflows: true, isTaken: true }];
  const polling = createPolling({ client, namespace: 'n', queues, log, everyMs: 5 });
  const countOf = (type: string) => polling.pollers()?.find((poll) => poll.type === type)?.count;
  polling.watch('own');
  await eventually(() => countOf('workflow') === 1);
  expect(polling.problem()).toBeUndefined();

  fault = refusal(5);
  await eventually(() => polling.problem() === 'Temporal has no such namespace');
  expect(polling.pollers()).toBeUndefined();
  fault = refusal(7);
  await eventually(() => polling.problem() === undefined);
  fault = refusal(5);
  await eventually(() => polling.problem() !== undefined);
  fault = undefined;
  await eventually(() => polling.problem() === undefined && countOf('activity') === 1);
  await polling.close();
});

test('a worker of a version knows which work it gets, says so once, and is told when it becomes current', async () => {
  const version = { deploymentName: 'waymark', buildId: '1-new' };
  const old = { deploymentName: 'waymark', buildId: '1-old' };
  let versioningInfo: object | null = null;
  const client = {
    withDeadline: (_: number, call: () => unknown) => call(),
    workflowService: {
      describeTaskQueue: async () => ({ pollers: [], versioningInfo }),
    },
  } as unknown as Client;
  const { log, entries } = captureLog('worker');
  let becameCurrent = 0;
  const queues = [
    { taskQueue: 'other', hasWorkflows: true, isTaken: false },
    { taskQueue: 'q', hasWorkflows: false, isTaken: true },
  ];
  const onCurrent = (): void => void (becameCurrent += 1);
  const polling = createPolling({ client, namespace: 'n', queues, version, onCurrent, log, everyMs: 5 });
  expect(polling.routing()).toBeUndefined();
  polling.watch('own');
  await eventually(() => polling.routing() === 'none');
  versioningInfo = { currentDeploymentVersion: old };
  await eventually(() => polling.routing() === 'pinned');
  const ramping = { currentDeploymentVersion: old, rampingDeploymentVersion: version };
  versioningInfo = { ...ramping, rampingVersionPercentage: 5 };
  await eventually(() => polling.routing() === 'ramping');
  // A ramp that was taken back.
  versioningInfo = { ...ramping, rampingVersionPercentage: 0 };
  await eventually(() => polling.routing() === 'pinned');
  expect(becameCurrent).toBe(0);
  versioningInfo = { currentDeploymentVersion: version };
  await eventually(() => polling.routing() === 'current');
  expect(becameCurrent).toBe(1);
  await polling.close();
  expect(entries().filter(({ version: of }) => of !== undefined)).toMatchObject([
    { level: 40, remedy: expect.stringContaining('--deployment-name waymark --build-id 1-new') },
    { level: 30 },
    { level: 30 },
    { level: 30 },
    { level: 30, msg: 'this version of the workers is current: it gets all work that begins' },
  ]);
});

test('pollers are counted that get the work that begins: of the current version, or without one while none is current', async () => {
  const poller = (buildId?: string) => ({
    identity: buildId ?? 'plain',
    lastAccessTime: { seconds: Math.floor(Date.now() / 1_000) },
    deploymentOptions:
      buildId === undefined
        ? { workerVersioningMode: 1 }
        : { deploymentName: 'waymark', buildId, workerVersioningMode: 2 },
  });
  let versioningInfo: object | null = null;
  const client = {
    withDeadline: (_: number, call: () => unknown) => call(),
    workflowService: {
      describeTaskQueue: async () => ({
        pollers: [poller(), poller('1-old'), poller('1-old'), poller('1-new'), poller('1-new'), poller('1-new')],
        versioningInfo,
      }),
    },
  } as unknown as Client;
  const log = { info: () => {}, warn: () => {} };
  const queues = [{ taskQueue: 'q', hasWorkflows: false, isTaken: true }];
  const polling = createPolling({ client, namespace: 'n', queues, log, everyMs: 5 });
  polling.watch('1-old');
  const counted = (count: number): Promise<unknown> => eventually(() => polling.pollers()?.[0]?.count === count);
  await counted(1);
  versioningInfo = { currentDeploymentVersion: { deploymentName: 'waymark', buildId: '1-old' } };
  await counted(2);
  versioningInfo = { currentDeploymentVersion: { deploymentName: 'waymark', buildId: '1-new' } };
  await counted(3);
  // A worker of another version is seen to poll all the same.
  expect(polling.problem()).toBeUndefined();
  await polling.close();
});
