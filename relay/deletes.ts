import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { listPurgeTargets, requeueOverduePurges } from '../db/purges.ts';
import type { StartDelete } from './delete-starter.ts';
import { createLoop } from './loop.ts';
import type { RelayCounts } from './measure.ts';
import type { TemporalState } from './scan-batcher.ts';
import { createWaker } from './waker.ts';

/** What `createDeleteRelay` is built from; the times are for tests. */
export interface DeleteRelayOptions {
  db: Database;
  startDelete: StartDelete;
  temporal: TemporalState;
  log: Pick<Logger, 'info' | 'warn'>;
  counts: RelayCounts;
  onError: (error: Error) => void;
  pollEveryMs: number;
  reconcileEveryMs: number;
}

/** The part of the relay that starts deletions. */
export interface DeleteRelay {
  wake(): void;
  stop(): Promise<void>;
}

const overdueAtOnce = 500;

/** Starts it: deletions that are named in the outbox begin, and those that nobody has been heard of are named there again. */
export function createDeleteRelay({
  db,
  startDelete,
  temporal,
  log,
  counts,
  onError,
  pollEveryMs,
  reconcileEveryMs,
}: DeleteRelayOptions): DeleteRelay {
  const starts = createLoop({
    task: createWaker({
      sql: db,
      kind: 'purge',
      listTargets: listPurgeTargets,
      wakeTarget: startDelete,
      temporal,
      log,
      counts,
    }),
    everyMs: pollEveryMs,
    onError,
  });
  const overdue = createLoop({ task: reconcile, everyMs: reconcileEveryMs, onError });

  async function reconcile(): Promise<boolean> {
    if (!temporal.isReachable()) return false;
    const requeued = await requeueOverduePurges(db, overdueAtOnce);
    counts.requeued += requeued;
    if (requeued > 0) {
      log.info({ requeued }, 'deletions that nobody is at work on are begun again');
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
