import { join } from 'node:path';
import { nodeChild } from '#scripts/supervisor/processes.ts';
import { childEnvironment } from './child-environment.ts';
import type { temporalForTest } from './stack.ts';

/** A worker in a process of its own. */
export interface WorkerToKill {
  /** Ends it by SIGKILL. */
  kill(): Promise<unknown>;
}

interface WorkerSettings {
  databaseUrl: string;
  temporal: ReturnType<typeof temporalForTest>;
  /** Where files are stored. */
  dataDir: string;
  webRiskEndpoint: string;
  /** Whether its imports go as fast as they can, as beside no other organization. */
  isFullSpeed?: boolean;
}

/** Starts `worker-process.ts`. @returns when it takes tasks. */
export async function startWorkerToKill({
  databaseUrl,
  temporal,
  dataDir,
  webRiskEndpoint,
  isFullSpeed = false,
}: WorkerSettings): Promise<WorkerToKill> {
  const service = nodeChild({
    name: 'worker',
    script: join(import.meta.dirname, 'worker-process.ts'),
    env: {
      ...childEnvironment,
      DATABASE_URL: databaseUrl,
      WAYMARK_DATA_DIR: dataDir,
      WEB_RISK_ENDPOINT: webRiskEndpoint,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      TEMPORAL_TASK_QUEUE: temporal.taskQueue,
      IMPORTS_AT_FULL_SPEED: String(isFullSpeed),
    },
    stopWaitMs: 0,
    onLine: () => {},
  });
  const { ready, exited, stop } = await service.start(new AbortController().signal);
  await Promise.race([ready, exited.then(() => Promise.reject(new Error('the worker ended')))]);
  return { kill: () => stop({ hurry: true }) };
}
