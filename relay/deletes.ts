import { listPurgeTargets, requeueOverduePurges } from '../db/purges.ts';
import type { StartDelete } from './delete-starter.ts';
import { createLoop } from './loop.ts';
import type { RelayPart, RelayPartOptions } from './part.ts';
import { createWaker } from './waker.ts';

/** What `createDeleteRelay` is built from; the times are for tests. */
export interface DeleteRelayOptions extends RelayPartOptions {
  startDelete: StartDelete;
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
}: DeleteRelayOptions): RelayPart {
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
