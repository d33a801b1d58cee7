import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sql } from '#db/connection/database.ts';
import { type ClaimedRow, fail, release, settle } from '#db/outbox.ts';
import { claimScans, type ClaimedScan, scanLanes } from '#db/threats/scan-queue.ts';
import { answerDueMs, extendDue, listScanTargets } from '#db/threats/verdicts.ts';
import type { RelayCounts } from './metrics.ts';
import type { StartedScan, StartScan } from './scan-starter.ts';
import type { Slot, Slots } from './slots.ts';

/** What `createScanBatcher` is built from. */
export interface ScanBatcherOptions {
  sql: Sql;
  slots: Slots;
  startScan: StartScan;
  /** Scans that an organization may have in a day (UTC). */
  perDay: number;
  temporal: TemporalState;
  log: Pick<Logger, 'debug' | 'warn'>;
  counts: RelayCounts;
  /** Called when there may be more to do: a place has become free. */
  wake: () => void;
}

/** What the relay has to know of Temporal. */
export interface TemporalState {
  isReachable(): boolean;
  /** Whether a call failed for want of a service, and not by the row's own fault. */
  isAway(error: unknown): boolean;
  /** Sets the service up again: it may have been emptied since. */
  prepare(): Promise<void>;
}

/** Turns waiting destinations into scans. */
export interface ScanBatcher {
  /** Starts one scan with what has waited longest; tells whether there may be more. */
  turn(): Promise<boolean>;
  /** Stops waiting for scans under way; Temporal goes on with them. */
  close(): Promise<void>;
}

/** Destinations in one scan: their link ids fill most of the 2,048 bytes that a search attribute holds. */
export const maxBatch = 40;
// How long the rows of a relay that died wait for another. Twice what starting a scan may take; where Temporal has to be set
// up again as well, another relay may start a second scan of them, which finds the verdicts of the first.
const leaseMs = 10_000;
// A row that failed this often is tried by itself, so that it cannot take others with it.
const triesInCompany = 2;
const awayPauseMs = 1_000;
// A scan ends within minutes by itself; a place is not held for one that nobody can tell the end of.
const longestScanMs = 10 * 60_000;

// Bulk scans leave Temporal, the worker and the database free for two thirds of the time (bench row V1). Nothing waits for a
// bulk scan, and a scanner that is slow by itself is not made slower.
const restFactor = 2;
const longestRestMs = 1_000;

/**
 * Makes the batcher of threat scans: one workflow for up to 40 destinations, those that somebody waits for first, and
 * organizations in turns. One of the places is kept for them, so that bulk scans never hold all of them.
 */
export function createScanBatcher({
  sql,
  slots,
  startScan,
  perDay,
  temporal,
  log,
  counts,
  wake,
}: ScanBatcherOptions): ScanBatcher {
  const closing = new AbortController();
  const following = new Set<Promise<void>>();

  return {
    async turn() {
      if (!temporal.isReachable()) return false;
      const slot = await slots.take();
      if (slot === undefined) return false;
      const startedAtMs = performance.now();
      let scan: StartedScan | undefined;
      let rows: ClaimedScan[] = [];
      try {
        const lane = slot.isReserved ? scanLanes.interactive : scanLanes.bulk;
        rows = await claimScans(sql, { limit: maxBatch, leaseMs, lane, perDay });
        scan = await begin(await alone(rows));
      } finally {
        if (scan === undefined) await slot.free();
      }
      if (scan === undefined) return rows.length > 0;
      const isBulk = rows.some((row) => row.lane === scanLanes.bulk);
      follow(scan, slot, () => (isBulk ? (performance.now() - startedAtMs) * restFactor : 0));
      return rows.length > 0;
    },
    async close() {
      closing.abort();
      await Promise.all(following);
    },
  };

  /** Keeps rows that failed before apart: one goes alone when it has waited longest, else they wait for the next turn. */
  async function alone(rows: ClaimedRow[]): Promise<ClaimedRow[]> {
    const healthy = rows.filter((row) => row.attempts <= triesInCompany);
    if (healthy.length === rows.length) return rows;
    const chosen = rows[0] === healthy[0] ? healthy : rows.slice(0, 1);
    await release(
      sql,
      rows.filter((row) => !chosen.includes(row)),
    );
    return chosen;
  }

  /** Hands rows to Temporal, and ends or keeps them by what comes of it. */
  async function begin(rows: ClaimedRow[]): Promise<StartedScan | undefined> {
    if (rows.length === 0) return undefined;
    try {
      const order = rows.map((row) => row.subjectId);
      const listed = await listScanTargets(sql, order);
      // As they were taken: the head of each line is looked at first.
      const targets = listed.toSorted(
        (one, other) => order.indexOf(one.destinationId) - order.indexOf(other.destinationId),
      );
      if (targets.length === 0) {
        await settle(sql, rows);
        return undefined;
      }
      await extendDue(
        sql,
        targets.map((target) => target.urlHash),
        answerDueMs,
      );
      const scan = await startPrepared(targets);
      counts.scans += 1;
      counts.destinations += targets.length;
      await settle(sql, rows);
      log.debug({ workflowId: scan.workflowId, destinations: targets.length }, 'a threat scan was started');
      return scan;
    } catch (error) {
      await keep(rows, error as Error);
      return undefined;
    }
  }

  async function startPrepared(targets: Parameters<StartScan>[0]): Promise<StartedScan> {
    try {
      return await startScan(targets);
    } catch (error) {
      if (temporal.isAway(error)) throw error;
      // An emptied service refuses the search attributes that it no longer knows.
      await temporal.prepare();
      return startScan(targets);
    }
  }

  async function keep(rows: ClaimedRow[], error: Error): Promise<void> {
    counts.failures += 1;
    const away = temporal.isAway(error);
    log.warn(
      { rows: rows.length, reason: reasonOf(error) },
      away ? 'scans wait for Temporal' : 'a threat scan was not started',
    );
    if (away) await release(sql, rows, awayPauseMs);
    else await fail(sql, rows, reasonOf(error));
  }

  /** Holds the scan's slot until it has ended, and for a rest after it. @param restMs is asked when the scan has ended. */
  function follow(scan: StartedScan, slot: Slot, restMs: () => number): void {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(longestScanMs)]);
    const followed = untilFinished(scan, signal).then(async () => {
      const rest = Math.min(longestRestMs, restMs());
      if (rest > 0) await setTimeout(rest, undefined, { signal: closing.signal }).catch(() => undefined);
      await slot.free();
      following.delete(followed);
      wake();
    });
    following.add(followed);
  }
}

async function untilFinished(scan: StartedScan, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await scan.finished(signal);
    } catch {
      // Temporal is away, or the wait was ended: the loop's condition tells.
      await setTimeout(awayPauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** The messages of an error and its causes: Temporal's own says only that it failed. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
