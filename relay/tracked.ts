import type { Sql } from '#db/connection/database.ts';
import type { OutboxKind } from '#db/outbox.ts';
import { createLoop } from './loop.ts';
import type { RelayPart, RelayPartOptions } from './part.ts';
import { createWaker } from './dispatcher.ts';

/** What `createTrackedRelay` is built from. Rows of the database tell what is left to do, and when somebody was last at work. */
export interface TrackedRelayOptions<Target> extends RelayPartOptions {
  kind: OutboxKind;
  /** What they are, for the log. */
  noun: string;
  /** Reads the targets that are named; those that are done are left out. */
  listTargets(sql: Sql, ids: readonly string[]): Promise<(Target & { id: string })[]>;
  /** Starts a target's workflow; one that is running goes on. */
  start(target: Target): Promise<void>;
  /** Names those again that nobody has been heard of. @returns how many. */
  requeueOverdue(sql: Sql, limit: number): Promise<number>;
}

const overdueAtOnce = 500;

/** Starts it: what is named in the outbox begins, and what nobody has been heard of is named there again. */
export function createTrackedRelay<Target>({
  kind,
  noun,
  listTargets,
  start,
  requeueOverdue,
  db,
  temporal,
  log,
  counts,
  onError,
  pollEveryMs,
  reconcileEveryMs,
}: TrackedRelayOptions<Target>): RelayPart {
  const starts = createLoop({
    task: createWaker<Target>({ sql: db, kind, listTargets, wakeTarget: start, temporal, log, counts }),
    everyMs: pollEveryMs,
    onError,
  });
  const overdue = createLoop({ task: reconcile, everyMs: reconcileEveryMs, onError });

  async function reconcile(): Promise<boolean> {
    if (!temporal.isReachable()) return false;
    const requeued = await requeueOverdue(db, overdueAtOnce);
    counts.requeued += requeued;
    if (requeued > 0) {
      log.info({ requeued }, `${noun} that nobody is at work on are begun again`);
      starts.wake();
    }
    return requeued === overdueAtOnce;
  }

  return {
    wake: () => starts.wake(),
    async stop() {
      await Promise.all([starts.stop(), overdue.stop()]);
    },
  };
}
