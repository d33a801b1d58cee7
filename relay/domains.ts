import { listDomainTargets, requeueOverdueDomains } from '#db/domains/checks.ts';
import type { WakeDomain } from './domain-waker.ts';
import { createLoop } from './loop.ts';
import type { RelayPart, RelayPartOptions } from './part.ts';
import { createWaker } from './dispatcher.ts';

/** What `createDomainRelay` is built from; the times are for tests. */
export interface DomainRelayOptions extends RelayPartOptions {
  wakeDomain: WakeDomain;
}

// An actor looks in time by itself; a check takes seconds.
const overdueMs = 15_000;
const againMs = 60_000;
// At most twenty a second, and fewer where they are slow: what a small machine can check beside all else.
const overdueAtOnce = 300;

/** Starts it: domains that are named in the outbox are woken, and those that are overdue are named there, some at a time. */
export function createDomainRelay({
  db,
  wakeDomain,
  temporal,
  log,
  counts,
  onError,
  pollEveryMs,
  reconcileEveryMs,
}: DomainRelayOptions): RelayPart {
  const wakes = createLoop({
    task: createWaker({
      sql: db,
      kind: 'domain',
      listTargets: listDomainTargets,
      wakeTarget: wakeDomain,
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
    const requeued = await requeueOverdueDomains(db, { overdueMs, againMs, limit: overdueAtOnce });
    counts.requeued += requeued;
    if (requeued > 0) {
      log.info({ requeued }, 'domains whose check was overdue are looked at again');
      wakes.wake();
    }
    // What is left waits for the next turn, so that a hundred thousand are not woken at once.
    return false;
  }

  return {
    wake: () => wakes.wake(),
    async stop() {
      await Promise.all([wakes.stop(), overdue.stop()]);
    },
  };
}
