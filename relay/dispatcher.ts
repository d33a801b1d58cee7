import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { StartWorkflow } from '#adapters/temporal/start.ts';
import { reasonOf } from '#core/errors/reason.ts';
import { continueTrace } from '#core/trace.ts';
import type { Database } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { claim, type ClaimedRow, type OutboxKind, settle } from '#db/outbox.ts';
import { fail, release } from '#db/outbox-rows.ts';
import { createLoop, type RelayPart } from './loop.ts';
import type { RelayCounts } from './metrics.ts';

/** What the relay has to know of Temporal. */
export interface TemporalState {
  isReachable(): boolean;
  /** Whether a call failed because the service could not be asked, and not because of what was asked. */
  isAway(error: unknown): boolean;
  /** Registers search attributes and schedules again: the service may have lost them. */
  prepare(): Promise<void>;
}

/** What every part of the relay works with; the times are for tests. */
export interface RelayContext {
  db: Database;
  /** Serves to be forked: `transactional` makes a fork for each turn. */
  em: EntityManager;
  startWorkflow: StartWorkflow;
  temporal: TemporalState;
  log: Pick<Logger, 'debug' | 'info' | 'warn'>;
  counts: RelayCounts;
  onError: (error: Error) => void;
  /** How often the outbox is read without a wake-up. */
  pollEveryMs: number;
  /** How often overdue work is looked for. */
  reconcileEveryMs: number;
}

/** A call to Temporal that serves some claimed rows. */
interface Call {
  rows: readonly ClaimedRow[];
  run(): Promise<void>;
}

/** One kind of work in the outbox. */
interface Work {
  kind: OutboxKind;
  /** Leases rows that are due; without it, up to 200 for 20 seconds. */
  claim?: () => Promise<ClaimedRow[]>;
  /** Divides rows into calls. Rows in no call have nothing left to do. */
  plan: (rows: readonly ClaimedRow[]) => Promise<readonly Call[]>;
  /** Puts overdue subjects into the outbox again. `more`: others are left, which are looked for at once. */
  requeue: () => Promise<{ requeued: number; more: boolean }>;
  reconcileEveryMs?: number;
}

// Choice, of a batch: one Temporal service takes some 250 starts a second, 16 calls at a time keep it busy.
const callsAtOnce = 16;
const rowsAtOnce = 200;
// A batch of 200 calls takes about a second, beside which one row of another organization must not wait.
const batchesAtOnce = 4;
// Longer than a call and its retry take (5 s each). Rows of a relay that died come back after it.
const leaseMs = 20_000;
const unreachablePauseMs = 1_000;

/**
 * Dispatches one kind of work: rows are claimed with a lease, Temporal is called outside of any transaction, and then each row is
 * settled, kept with a growing pause (`fail`, parked after 20 tries), or given back untried while Temporal is unreachable.
 * A reconciler finds in the subjects' own rows what is overdue: the outbox and Temporal may both lose work.
 */
export function createDispatcher(
  { kind, plan, requeue, ...work }: Work,
  { db, em, temporal, log, counts, onError, pollEveryMs, reconcileEveryMs }: Omit<RelayContext, 'startWorkflow'>,
): RelayPart {
  const claimRows = work.claim ?? (() => claim(db, kind, { limit: rowsAtOnce, leaseMs }));
  const underWay = new Set<Promise<void>>();
  const dispatching = createLoop({ task: dispatch, everyMs: pollEveryMs, onError });
  const reconciling = createLoop({ task: reconcile, everyMs: work.reconcileEveryMs ?? reconcileEveryMs, onError });

  /** Begins a batch beside those under way. */
  async function dispatch(): Promise<boolean> {
    if (!temporal.isReachable() || underWay.size >= batchesAtOnce) return false;
    const rows = await claimRows();
    if (rows.length === 0) return false;
    const batch = handle(rows)
      .catch(onError)
      .finally(() => {
        underWay.delete(batch);
        dispatching.wake();
      });
    underWay.add(batch);
    return true;
  }

  async function handle(rows: readonly ClaimedRow[]): Promise<void> {
    const calls = await plan(rows);
    const called = new Set(calls.flatMap((call) => call.rows));
    const settled = rows.filter((row) => !called.has(row));
    const released: ClaimedRow[] = [];
    await pLimit(callsAtOnce).map(calls, async (call) => {
      // The service has just been found unreachable: the other calls would only wait for their deadlines.
      const outcome = released.length > 0 ? 'released' : await attempt(call);
      if (outcome === 'settled') settled.push(...call.rows);
      if (outcome === 'released') released.push(...call.rows);
    });
    await settle(db, settled);
    await release(em, released, unreachablePauseMs);
    if (released.length > 0) log.warn({ kind, rows: released.length }, 'workflows wait for Temporal');
  }

  async function attempt(call: Call): Promise<'settled' | 'released' | 'failed'> {
    try {
      const caller = call.rows.find(({ trace }) => trace !== null)?.trace;
      await continueTrace(caller, `outbox ${kind}`, { attributes: { 'waymark.rows': call.rows.length } }, call.run);
      return 'settled';
    } catch (error) {
      counts.failures += 1;
      if (temporal.isAway(error)) return 'released';
      const reason = reasonOf(error as Error);
      log.warn({ kind, ids: call.rows.map(({ subjectId }) => subjectId), reason }, 'a workflow could not be started');
      await fail(em, call.rows, reason);
      return 'failed';
    }
  }

  async function reconcile(): Promise<boolean> {
    // Requeued rows would only wait in the outbox.
    if (!temporal.isReachable()) return false;
    const { requeued, more } = await requeue();
    counts.requeued += requeued;
    if (requeued > 0) {
      log.info({ kind, requeued }, 'overdue work was put into the outbox again');
      dispatching.wake();
    }
    return more;
  }

  return {
    wake: () => dispatching.wake(),
    async stop() {
      await Promise.all([dispatching.stop(), reconciling.stop()]);
      await Promise.all(underWay);
    },
  };
}

/**
 * Starts workflows, and tries once more after setting Temporal up again: a service that was emptied refuses search attributes
 * that it no longer knows.
 */
export function startPrepared(startWorkflow: StartWorkflow, temporal: TemporalState): StartWorkflow {
  return async (start) => {
    try {
      return await startWorkflow(start);
    } catch (error) {
      if (temporal.isAway(error)) throw error;
      await temporal.prepare();
      return startWorkflow(start);
    }
  };
}
