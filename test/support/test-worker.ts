import { Client } from '@temporalio/client';
import { pino } from 'pino';
import { connectWorker, installRuntime, keepWorking } from '#adapters/temporal/worker.ts';
import { registerSearchAttributes } from '#adapters/temporal/client.ts';
import { createSite } from '#core/links/site.ts';
import { takenQueues, type WorkQueue, workQueues } from '#core/temporal/task-queues.ts';
import { workflowBundlePath } from '#scripts/build/workflows.ts';

/** A log that keeps still. */
export const silent = pino({ level: 'silent' });

/** A Temporal worker inside the test's process. */
export interface TestWorker extends AsyncDisposable {
  client: Client;
  taskQueue: string;
}

/** Where links of the tests are served. */
export const site = createSite({ scheme: 'https', platformDomain: 'go.example' });

let installed = false;

/** Keeps the log of Temporal's SDK still. */
export function installSilentRuntime(): void {
  if (!installed) installRuntime(silent);
  installed = true;
}

/**
 * Starts a worker of the given activities on the test's task queue, with the product's workflows; ready when it polls for tasks.
 * @param activities get a signal that is aborted when the worker stops.
 * @param options `buildId`: of its version, which has to be made the current one; `names`: the kinds of work that it takes, by default all.
 */
export async function startWorkerOf(
  { address, namespace, taskQueue }: { address: string; namespace: string; taskQueue: string },
  activities: (draining: AbortSignal) => object,
  { buildId, names = workQueues }: { buildId?: string; names?: readonly WorkQueue[] } = {},
): Promise<TestWorker> {
  installSilentRuntime();
  const stopping = new AbortController();
  const connection = await connectWorker({ address }, stopping.signal, silent);
  if (connection === undefined) throw new Error('unreachable');
  const client = new Client({ connection, namespace });
  await registerSearchAttributes(client, namespace, silent);
  const running = Promise.withResolvers<void>();
  const working = keepWorking({
    connection,
    namespace,
    queues: takenQueues(taskQueue, names),
    ...(buildId === undefined ? {} : { version: { deploymentName: taskQueue, buildId } }),
    activities: activities(stopping.signal),
    workflows: { workflowBundle: { codePath: workflowBundlePath } },
    signal: stopping.signal,
    log: silent,
    onRunning: () => running.resolve(),
  });
  await running.promise;
  return {
    client,
    taskQueue,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      if (await working) await connection.close();
    },
  };
}
