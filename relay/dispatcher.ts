import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Sql } from '#db/connection/database.ts';
import { claim, type ClaimedRow, fail, type OutboxKind, release, settle } from '#db/outbox.ts';
import type { RelayCounts } from './metrics.ts';
import type { TemporalState } from './scans.ts';

/** What `createWaker` is built from; a target is what a workflow is about. */
export interface WakerOptions<Target> {
  sql: Sql;
  kind: OutboxKind;
  /** Reads the targets by the ids that the outbox names; those that are no longer there are left out. */
  listTargets: (sql: Sql, ids: readonly string[]) => Promise<(Target & { id: string })[]>;
  /** Starts or wakes a target's workflow. */
  wakeTarget: (target: Target & { id: string }) => Promise<void>;
  temporal: TemporalState;
  log: Pick<Logger, 'warn'>;
  counts: RelayCounts;
}

// One service handles some 250 calls a second; more at once would only wait there.
const callsAtOnce = 16;
const rowsAtOnce = 200;
const leaseMs = 20_000;
const awayPauseMs = 1_000;

/** Makes the turn of the relay that wakes the workflows of one kind: one call for each, however often it was named. */
export function createWaker<Target>({
  sql,
  kind,
  listTargets,
  wakeTarget,
  temporal,
  log,
  counts,
}: WakerOptions<Target>): () => Promise<boolean> {
  return async () => {
    if (!temporal.isReachable()) return false;
    const rows = await claim(sql, kind, rowsAtOnce, leaseMs);
    if (rows.length === 0) return false;
    const ids = rows.map(({ subjectId }) => subjectId);
    const targets = new Map((await listTargets(sql, ids)).map((target) => [target.id, target]));
    const woken: ClaimedRow[] = [];
    const away: ClaimedRow[] = [];
    await pLimit(callsAtOnce).map(rows, async (row) => {
      const target = targets.get(row.subjectId);
      if (away.length > 0) away.push(row);
      else if (target === undefined) woken.push(row);
      else await wakeOne(row, target, woken, away);
    });
    await settle(sql, woken);
    await release(sql, away, awayPauseMs);
    if (away.length > 0) log.warn({ kind, rows: away.length }, 'workflows wait for Temporal');
    return away.length === 0;
  };

  async function wakeOne(
    row: ClaimedRow,
    target: Target & { id: string },
    woken: ClaimedRow[],
    away: ClaimedRow[],
  ): Promise<void> {
    try {
      await wakePrepared(target);
      counts.wakes += 1;
      woken.push(row);
    } catch (error) {
      counts.failures += 1;
      if (temporal.isAway(error)) {
        away.push(row);
        return;
      }
      const reason = (error as Error).message;
      log.warn({ kind, id: row.subjectId, reason }, 'a workflow could not be woken');
      await fail(sql, [row], reason);
    }
  }

  async function wakePrepared(target: Target & { id: string }): Promise<void> {
    try {
      await wakeTarget(target);
    } catch (error) {
      if (temporal.isAway(error)) throw error;
      // An emptied service refuses the search attributes that it no longer knows.
      await temporal.prepare();
      await wakeTarget(target);
    }
  }
}
