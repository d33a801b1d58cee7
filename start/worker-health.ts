import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { Polling } from '#adapters/temporal/polling.ts';
import { routingTexts } from '#adapters/temporal/routing.ts';
import type { Meter } from '#core/lib/meter.ts';

// Longer than a service takes that was away: it forgets its pollers.
const hungAfterMs = 180_000;

/** Whether the worker gets tasks: by the state of Temporal's SDK, by the pollers of its queues, and by its tasks. */
export function createWorkerHealth(now: () => number = Date.now) {
  let state: 'waiting' | 'running' | 'stopped' = 'waiting';
  let isTemporalReachable = (): boolean => false;
  let pollProblem = (): string | undefined => undefined;
  let routing: Polling['routing'] = () => undefined;
  let lastTaskAtMs = now();
  let idleSinceMs: number | undefined;
  let waitsFor: string | undefined;

  /** Why no tasks come; undefined: the worker polls, and its version, where it has one, may get tasks. */
  function whyIdle(): string | undefined {
    if (state === 'stopped') return 'it has stopped';
    if (!isTemporalReachable()) return 'Temporal cannot be reached';
    if (state === 'waiting') return `it has not begun yet${waitsFor === undefined ? '' : `: ${waitsFor}`}`;
    return pollProblem() ?? (routing() === 'none' ? routingTexts.none : undefined);
  }

  return {
    /** Called when the worker has connected; until then it waits for Temporal. */
    follow(sources: { isTemporalReachable: () => boolean; polling: Pick<Polling, 'problem' | 'routing'> }): void {
      isTemporalReachable = sources.isTemporalReachable;
      pollProblem = sources.polling.problem;
      routing = sources.polling.routing;
    },
    /** Called with the reason when an attempt to begin fails. */
    onWaiting: (reason: string): void => void (waitsFor = reason),
    onRunning: (): void => void (state = 'running'),
    onStopped: (): void => void (state = 'stopped'),
    onTask: (): void => void (lastTaskAtMs = now()),
    whyIdle,
    /** Whether it gets what begins, and not just the rest of what its version began. */
    getsNewWork: () => whyIdle() === undefined && routing() !== 'pinned',
    /** Why another process should take the worker's place: it is not seen to poll although Temporal serves; undefined: it lives. */
    whyHung(): string | undefined {
      const problem = state === 'running' && isTemporalReachable() ? pollProblem() : undefined;
      if (problem === undefined) idleSinceMs = undefined;
      else idleSinceMs ??= now();
      return idleSinceMs !== undefined && now() - idleSinceMs >= hungAfterMs ? problem : undefined;
    },
    /** When it last began a task, at first its start: Unix time in milliseconds. */
    lastTaskAtMs: () => lastTaskAtMs,
  };
}

/** Registers what alerts go by. */
export function measureWorkerHealth(
  meter: Meter,
  { whyIdle, lastTaskAtMs }: ReturnType<typeof createWorkerHealth>,
  { pollers, routing }: Pick<Polling, 'pollers' | 'routing'>,
  version: WorkerDeploymentVersion | undefined,
): void {
  meter.gauge('waymark_worker_taking', 'Whether the worker polls Temporal for tasks.', () =>
    Number(whyIdle() === undefined),
  );
  meter.gauge(
    'waymark_worker_last_task_seconds',
    'Since when the worker has begun no task of Temporal, at first since its start.',
    () => (Date.now() - lastTaskAtMs()) / 1_000,
  );
  meter.gauge(
    'waymark_task_queue_pollers',
    'Live pollers of the task queues, of the current version where workers have versions, of all workers, as Temporal tells.',
    () => (pollers() ?? []).map(({ count, ...labels }) => ({ labels, value: count })),
    ['queue', 'type'],
  );
  if (version === undefined) return;
  meter.gauge(
    'waymark_worker_version',
    'The version of this worker, and whether it gets the work that begins; always 1.',
    () => [{ labels: { build: version.buildId, routing: routing() ?? 'unknown' }, value: 1 }],
    ['build', 'routing'],
  );
}
