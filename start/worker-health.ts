import type { Polling } from '#adapters/temporal/polling.ts';
import { type Meter, samplesOf } from '#core/lib/meter.ts';

/** Whether the worker gets tasks: by the state of Temporal's SDK, by the pollers of the queue, and by its tasks. */
export interface WorkerHealth {
  /** Called when the worker has connected; until then it waits for Temporal. */
  follow(sources: { isTemporalReachable: () => boolean; polling: Pick<Polling, 'problem'> }): void;
  onRunning(): void;
  onStopped(): void;
  onTask(): void;
  /** Why no tasks come; undefined: the worker polls. */
  whyIdle(): string | undefined;
  /** Why another process should take the worker's place: it is not seen to poll although Temporal serves; undefined: it lives. */
  whyHung(): string | undefined;
  /** When it last began a task, at first its start: Unix time in milliseconds. */
  lastTaskAtMs(): number;
}

// Longer than a service takes that was away: it forgets its pollers.
const hungAfterMs = 180_000;

export function createWorkerHealth(now: () => number = Date.now): WorkerHealth {
  let state: 'waiting' | 'running' | 'stopped' = 'waiting';
  let isTemporalReachable = (): boolean => false;
  let pollProblem = (): string | undefined => undefined;
  let lastTaskAtMs = now();
  let idleSinceMs: number | undefined;

  function whyIdle(): string | undefined {
    if (state === 'stopped') return 'it has stopped';
    if (!isTemporalReachable()) return 'Temporal cannot be reached';
    if (state === 'waiting') return 'it has not begun yet';
    return pollProblem();
  }

  return {
    follow(sources) {
      isTemporalReachable = sources.isTemporalReachable;
      pollProblem = sources.polling.problem;
    },
    onRunning: () => void (state = 'running'),
    onStopped: () => void (state = 'stopped'),
    onTask: () => void (lastTaskAtMs = now()),
    whyIdle,
    whyHung() {
      const problem = state === 'running' && isTemporalReachable() ? pollProblem() : undefined;
      if (problem === undefined) idleSinceMs = undefined;
      else idleSinceMs ??= now();
      return idleSinceMs !== undefined && now() - idleSinceMs >= hungAfterMs ? problem : undefined;
    },
    lastTaskAtMs: () => lastTaskAtMs,
  };
}

/** Registers what alerts go by. */
export function measureWorkerHealth(
  meter: Meter,
  { whyIdle, lastTaskAtMs }: WorkerHealth,
  { pollers }: Pick<Polling, 'pollers'>,
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
    'Live pollers of the task queue, those of other workers too, as Temporal tells.',
    () => {
      const counts = pollers();
      return counts === undefined ? [] : samplesOf('type', counts);
    },
    ['type'],
  );
}
