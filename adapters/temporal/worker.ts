import { setTimeout } from 'node:timers/promises';
import {
  type Logger as TemporalLogger,
  type MetricsExporterConfig,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import type { TemporalAccess } from './access.ts';

interface WorkingOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  activities: object;
  /** The bundle of workflows, or the path to make it from. */
  workflows: { workflowBundle: WorkflowBundleOption } | { workflowsPath: string };
  /** Aborted: tasks under way are finished, and no more are taken. */
  signal: AbortSignal;
  log: Logger;
  /** Called each time that a worker begins to take tasks. */
  onRunning: () => void;
  /** Called each time that it has ended, in order or not. */
  onStopped?: () => void;
}

// The native client logs each of its many retries; `createTemporal` logs once that the service is unreachable.
const nativeLogFilter = 'error,temporalio_sdk_core=warn,temporalio_client=error';
const retryPauseMs = 1_000;
const remindEveryMs = 30_000;

/**
 * Sends the log of Temporal's SDK, its native part included, to `log`, and keeps it from handling signals. Once a process.
 * @param metricsPort where its metrics are served, at `/metrics` on 127.0.0.1; undefined: nowhere.
 * @throws Error when the port cannot be had.
 */
export function installRuntime(log: Logger, metricsPort?: number): void {
  const send =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta?: Record<string | symbol, unknown>): void => {
      // The SDK names an error `error`; pino writes a stack only for the field `err`.
      const { error, ...details } = meta ?? {};
      log[level](
        error instanceof Error ? { ...details, err: error } : { ...details, ...(error === undefined ? {} : { error }) },
        message,
      );
    };
  const levels = {
    trace: send('trace'),
    debug: send('debug'),
    info: send('debug'),
    warn: send('warn'),
    error: send('error'),
  };
  const logger: TemporalLogger = {
    ...levels,
    log: (level, message, meta) => levels[level.toLowerCase() as keyof typeof levels](message, meta),
  };
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

/** Connects, trying again every second; undefined once `signal` is aborted. */
export async function connectWorker(
  access: TemporalAccess,
  signal: AbortSignal,
  log: Logger,
): Promise<NativeConnection | undefined> {
  let remindAtMs = 0;
  while (!signal.aborted) {
    try {
      return await NativeConnection.connect(access);
    } catch (error) {
      if (Date.now() >= remindAtMs) {
        remindAtMs = Date.now() + remindEveryMs;
        const { address } = access;
        log.warn({ address, reason: (error as Error).message }, 'Temporal cannot be reached; the worker keeps trying');
      }
      await pause(signal);
    }
  }
  return undefined;
}

/**
 * Runs a worker until `signal` is aborted; one that fails (the service was unreachable for too long, or lost the namespace) is
 * replaced. Options: see docs/adr/0003.
 * @returns whether the last one stopped by itself; else some activity did not end, and only the process's end helps.
 */
export async function keepWorking(options: WorkingOptions): Promise<boolean> {
  const { signal, log } = options;
  let clean = true;
  while (!signal.aborted) {
    try {
      clean = true;
      await work(options);
    } catch (error) {
      clean = false;
      log.warn({ reason: (error as Error).message }, 'the Temporal worker stopped with an error');
      if (!signal.aborted) await pause(signal);
    }
  }
  return clean;
}

async function work({
  connection,
  namespace,
  taskQueue,
  activities,
  workflows,
  signal,
  onRunning,
  onStopped,
}: WorkingOptions): Promise<void> {
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    activities,
    ...workflows,
    // After a worker's sudden death its workflows wait this long for it, instead of ten seconds.
    stickyQueueScheduleToStartTimeout: '1s',
    // About half a MiB each.
    maxCachedWorkflows: 200,
    // An activity mostly waits for other servers.
    maxConcurrentActivityTaskExecutions: 1_000,
    // Longer than the longest call of an activity. Activities that still run are cancelled, then abandoned.
    shutdownGraceTime: '10s',
    shutdownForceTime: '15s',
  });
  const stop = (): void => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const running = worker.run();
    if (signal.aborted) stop();
    else onRunning();
    await running;
  } finally {
    onStopped?.();
    signal.removeEventListener('abort', stop);
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await setTimeout(retryPauseMs, undefined, { signal }).catch(() => {});
}
