import { Client } from '@temporalio/client';
import { pino } from 'pino';
import { createFileActivities, type FileDependencies } from '../../activities/files.ts';
import { createScanActivities, type ScanDependencies } from '../../activities/scan.ts';
import { connectWorker, installRuntime, keepWorking } from '../../adapters/temporal-worker.ts';
import type { ThreatScanner } from '../../adapters/threat-scanner.ts';
import { registerSearchAttributes } from '../../adapters/temporal.ts';
import type { Sql } from '../../db/database.ts';
import { workflowBundlePath } from '../../scripts/bundle-workflows.ts';

/** A log that keeps still. */
export const silent = pino({ level: 'silent' });

/** A Temporal worker inside the test's process. */
export interface TestWorker extends AsyncDisposable {
  client: Client;
  taskQueue: string;
}

/** Settings of `startTestWorker`; what is left out of `scan` is as in production. */
export interface TestWorkerOptions {
  temporal: { address: string; namespace: string; taskQueue: string };
  sql: Sql;
  scanner: ThreatScanner;
  scan?: Pick<ScanDependencies, 'concurrency' | 'firstGapMs' | 'horizonMs'>;
  /** Where its workflows include those of files. */
  files?: FileDependencies;
}

let installed = false;

/** Starts a worker on the test's task queue; ready when it takes tasks. */
export async function startTestWorker({ temporal, sql, scanner, scan, files }: TestWorkerOptions): Promise<TestWorker> {
  if (!installed) installRuntime(silent);
  installed = true;
  const { address, namespace, taskQueue } = temporal;
  const stopping = new AbortController();
  const connection = await connectWorker(address, stopping.signal, silent);
  if (connection === undefined) throw new Error('unreachable');
  const client = new Client({ connection, namespace });
  await registerSearchAttributes(client, namespace, silent);
  const running = Promise.withResolvers<void>();
  const working = keepWorking({
    connection,
    namespace,
    taskQueue,
    activities: {
      ...createScanActivities({ sql, scanner, log: silent, ...scan }),
      ...(files === undefined ? {} : createFileActivities(files)),
    },
    workflows: { workflowBundle: { codePath: workflowBundlePath } },
    signal: stopping.signal,
    log: silent,
    onRunning: running.resolve,
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
