import {
  DefaultLogger,
  type MetricsExporterConfig,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { Logger } from 'pino';
import { untilSuccess } from '#adapters/machine/process.ts';
import type { TakenQueue } from '#core/temporal/task-queues.ts';
import type { TemporalAccess } from './access.ts';

interface WorkingOptions {
  connection: NativeConnection;
  namespace: string;
  /** At least one. Each has all activities: those of an earlier version may wait on another queue. */
  queues: readonly TakenQueue[];
  /** Temporal sends it tasks of this version alone (docs/rollouts.md); undefined: of none. */
  version?: WorkerDeploymentVersion | undefined;
  activities: object;
  /** The bundle of workflows, or the path to make it from. */
  workflows: { workflowBundle: WorkflowBundleOption } | { workflowsPath: string };
  plugins?: WorkerOptions['plugins'];
  /** Aborted: tasks under way are finished, and no more are taken. */
  signal: AbortSignal;
  log: Logger;
  /** Called with the reason of each attempt to begin that fails. */
  onWaiting?: (reason: string) => void;
  /** Called once, when the worker begins to take tasks. */
  onRunning: (worker: { identity: string }) => void;
  /** Called with each activity that begins. */
  onTask?: () => void;
  /** Called when the worker has ended, in order or not. */
  onStopped?: () => void;
}

/** Temporal's worker has failed: the process has to end, and another one takes its place. */
export class WorkerFailedError extends Error {}

// The native client logs each of its many retries; `createTemporal` logs once that the service is unreachable.
const nativeLogFilter = 'error,temporalio_sdk_core=warn,temporalio_client=error';
// Most queues have none.
const noWorkflows = 'No workflows registered';
const lookAtStateEveryMs = 1_000;
const callTimeoutMs = 10_000;
/** Levels of the log by those of the SDK, which tells much. */
const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Sends the log of Temporal's SDK, its native part included, to `log`, and keeps it from handling signals. Once a process.
 * @param metricsPort where its metrics are served, at `/metrics` on 127.0.0.1; undefined: nowhere.
 * @throws Error when the port cannot be had.
 */
export function installRuntime(log: Logger, metricsPort?: number): void {
  const logger = new DefaultLogger('TRACE', ({ level, message, meta = {} }) => {
    // The SDK names an error `error`; pino writes a stack only for the field `err`.
    const { error, ...details } = meta;
    log[message.startsWith(noWorkflows) ? 'debug' : levels[level]](
      error instanceof Error ? { ...details, err: error } : { ...details, ...(error === undefined ? {} : { error }) },
      message,
    );
  });
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: nativeLogFilter, forward: {} },
      ...(metricsPort === undefined ? {} : { metrics: metricsAt(metricsPort) }),
    },
  });
}

/** Names as Prometheus has them: counters end in `_total`, times are in seconds and say so. */
function metricsAt(port: number): MetricsExporterConfig {
  return {
    prometheus: {
      bindAddress: `127.0.0.1:${port}`,
      countersTotalSuffix: true,
      unitSuffix: true,
      useSecondsForDurations: true,
    },
  };
}

/** Connects, trying again until it succeeds; undefined once `signal` is aborted. */
export function connectWorker(
  access: TemporalAccess,
  signal: AbortSignal,
  log: Logger,
): Promise<NativeConnection | undefined> {
  return untilSuccess(() => NativeConnection.connect(access), {
    stopping: signal,
    onWaiting(error) {
      const { message: reason } = error as Error;
      log.warn({ address: access.address, reason }, 'Temporal cannot be reached; the worker keeps trying');
    },
  });
}

/**
 * Runs a worker until `signal` is aborted. It tries again and again to begin, while the service has not got the namespace, say. Options:
 * see docs/adr/0003.
 * @returns whether it stopped by itself; else some activity did not end, and only the process's end helps.
 * @throws WorkerFailedError where it failed while it worked: the SDK may then neither end it nor poll (docs/adr/0080).
 */
export async function keepWorking(options: WorkingOptions): Promise<boolean> {
  const { signal, log, onRunning, onStopped, onWaiting } = options;
  const workers = await untilSuccess(() => createWorkers(options), {
    stopping: signal,
    onWaiting(error) {
      const { message: reason } = error as Error;
      onWaiting?.(reason);
      log.warn({ reason }, 'the Temporal worker cannot begin; it keeps trying');
    },
  });
  if (workers === undefined) return true;
  const stop = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const running = Promise.all(workers.map((worker) => untilEnded(worker)));
    if (signal.aborted) stop();
    else onRunning({ identity: workers[0]!.options.identity });
    await running;
    return true;
  } catch (error) {
    const { message } = error as Error;
    if (!signal.aborted) throw new WorkerFailedError(`The Temporal worker failed: ${message}`, { cause: error });
    log.warn({ reason: message }, 'the Temporal worker stopped with an error');
    return false;
  } finally {
    onStopped?.();
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Asks for the namespace before the SDK does: a worker of the SDK that was refused is registered for a while, and the next attempt
 * fails for that and not for the namespace (SDK 1.24).
 * @throws Error that names the namespace.
 */
async function requireNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  try {
    await connection.withDeadline(Date.now() + callTimeoutMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    throw new Error(`the namespace ${namespace} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

async function createWorkers({
  connection,
  namespace,
  queues,
  version,
  activities,
  workflows,
  plugins = [],
  onTask,
}: WorkingOptions): Promise<Worker[]> {
  const shared: Omit<WorkerOptions, 'taskQueue'> = {
    connection,
    namespace,
    plugins,
    activities,
    ...(version === undefined
      ? {}
      : { workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } }),
    interceptors: {
      activity: [
        () => ({
          inbound: {
            execute(input, next) {
              onTask?.();
              return next(input);
            },
          },
        }),
      ],
    },
    // Longer than the longest call of an activity. Activities that still run are cancelled, then abandoned.
    shutdownGraceTime: '10s',
    shutdownForceTime: '15s',
  };
  const ofWorkflows = {
    ...workflows,
    // After a worker's sudden death its workflows wait this long for it, instead of ten seconds (docs/adr/0072).
    stickyQueueScheduleToStartTimeout: '1s',
    // About half a MiB each.
    maxCachedWorkflows: 200,
    // A task takes milliseconds of one thread. More of them would wait here, and not in Temporal, which gives organizations turns.
    maxConcurrentWorkflowTaskExecutions: 10,
  } as const;
  await requireNamespace(connection, namespace);
  const workers: Worker[] = [];
  // One by one: after several that failed together, for want of the namespace, SDK 1.24 creates none.
  for (const { taskQueue, hasWorkflows, atOnce, perSecond } of queues) {
    const worker = await Worker.create({
      ...shared,
      ...(hasWorkflows ? ofWorkflows : {}),
      taskQueue,
      maxConcurrentActivityTaskExecutions: atOnce,
      ...(perSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: perSecond }),
    });
    workers.push(worker);
  }
  return workers;
}

/**
 * Runs a worker to its end. `run` alone is not enough: where polls fail for good, it never settles (SDK 1.24).
 * @throws (rejects) Error where the worker failed.
 */
export async function untilEnded(worker: Pick<Worker, 'run' | 'getState'>): Promise<void> {
  const failed = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    if (worker.getState() === 'FAILED') failed.reject(new Error('its polls ended (state FAILED)'));
  }, lookAtStateEveryMs);
  try {
    await Promise.race([worker.run(), failed.promise]);
  } finally {
    clearInterval(timer);
  }
}
