import { setTimeout } from 'node:timers/promises';
import { uuidv7 } from '#core/lib/uuid.ts';
import type { StartedWorkflow } from '#adapters/temporal/start.ts';
import { type ClaimedRow, release } from '#db/outbox.ts';
import { claimScans, scanLanes } from '#db/threats/scan-queue.ts';
import { answerDueMs, extendDue, listScanTargets, requeueOverdue } from '#db/threats/verdicts.ts';
import { startOfScan } from '#workflows/starts.ts';
import { createDispatcher, type RelayContext, type RelayPart, startPrepared } from './dispatcher.ts';
import { createSlots, type Slot } from './slots.ts';

/** Limit: the link ids of 40 destinations fill most of the 2,048 bytes that a search attribute holds. */
export const maxBatch = 40;

// Choice: more scans at a time would compete for the scanner, and what waits makes the next batch bigger.
const scansAtOnce = 4;
const slotsKey = 1;
// How long the rows of a relay that died wait for another. Twice what starting a scan may take; where Temporal has to be set
// up again as well, another relay may start a second scan of them, which finds the verdicts of the first.
const leaseMs = 10_000;
// A row that failed this often goes alone, so that it cannot take others with it.
const triesInCompany = 2;
const retryMs = 1_000;
// A scan ends within minutes by itself. A slot is not held for a scan whose end cannot be learned.
const longestScanMs = 10 * 60_000;
const overdueAtOnce = 500;

/** `perDay`: scans that an organization may have in a day (UTC). */
export type ScanOptions = RelayContext & { databaseUrl: string; perDay: number };

// Bulk scans leave Temporal, the worker and the database free for five sixths of the time (bench row V1). Nothing waits for a
// bulk scan, and a scanner that is slow by itself is not made slower.
const restFactor = 5;
const longestRestMs = 1_000;

/**
 * Dispatches threat scans: one workflow for up to 40 destinations, interactive ones first, organizations in turns. Four scans are
 * unfinished at a time in the whole installation; one of these slots takes interactive scans alone, so that bulk scans never
 * hold all of them.
 */
export function createScans({ databaseUrl, perDay, ...context }: ScanOptions): RelayPart {
  const { db, temporal, log, counts, onError } = context;
  const startWorkflow = startPrepared(context.startWorkflow, temporal);
  const slots = createSlots({ url: databaseUrl, key: slotsKey, count: scansAtOnce, onError });
  const closing = new AbortController();
  const following = new Set<Promise<void>>();
  // The rows claimed last: the dispatcher claims again only when their call has ended.
  let claimed: ClaimedBatch | undefined;

  const dispatcher = createDispatcher(
    {
      kind: 'threat-scan',
      claim: claimWithSlot,
      plan: async (rows) => [{ rows, run: () => startScan(rows, claimed!) }],
      async requeue() {
        const { seen, requeued } = await requeueOverdue(db, overdueAtOnce);
        return { requeued, more: seen === overdueAtOnce };
      },
    },
    context,
  );

  async function claimWithSlot(): Promise<ClaimedRow[]> {
    const taken = await slots.take();
    if (taken === undefined) return [];
    const startedAtMs = performance.now();
    let rows: ClaimedRow[] = [];
    try {
      const lane = taken.isReserved ? scanLanes.interactive : scanLanes.bulk;
      const scans = await claimScans(db, { limit: maxBatch, leaseMs, lane, perDay });
      const isBulk = scans.some((row) => row.lane === scanLanes.bulk);
      claimed = { slot: taken, startedAtMs, isBulk };
      rows = await separate(scans);
      return rows;
    } finally {
      if (rows.length === 0) await taken.free();
    }
  }

  /** Keeps rows that failed before apart: one goes alone when it has waited longest, else they wait for the next turn. */
  async function separate(rows: ClaimedRow[]): Promise<ClaimedRow[]> {
    const healthy = rows.filter((row) => row.attempts <= triesInCompany);
    if (healthy.length === rows.length) return rows;
    const chosen = rows[0] === healthy[0] ? healthy : rows.slice(0, 1);
    await release(
      db,
      rows.filter((row) => !chosen.includes(row)),
    );
    return chosen;
  }

  async function startScan(rows: readonly ClaimedRow[], batch: ClaimedBatch): Promise<void> {
    let scan: StartedWorkflow | undefined;
    try {
      const order = rows.map((row) => row.subjectId);
      const listed = await listScanTargets(db, order);
      // In the order of the claim: whose turn it is comes first.
      const targets = listed.toSorted(
        (one, other) => order.indexOf(one.destinationId) - order.indexOf(other.destinationId),
      );
      if (targets.length === 0) return;
      await extendDue(
        db,
        targets.map((target) => target.urlHash),
        answerDueMs,
      );
      scan = await startWorkflow(startOfScan(uuidv7(), targets));
      counts.scans += 1;
      counts.destinations += targets.length;
      log.debug({ workflowId: scan.workflowId, destinations: targets.length }, 'a threat scan was started');
    } finally {
      if (scan === undefined) await batch.slot.free();
      else follow(scan, batch);
    }
  }

  /** Holds a scan's slot until the scan has ended, and of a bulk scan for a rest after it. */
  function follow(scan: StartedWorkflow, { slot, startedAtMs, isBulk }: ClaimedBatch): void {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(longestScanMs)]);
    const followed = untilFinished(scan, signal).then(async () => {
      const tookMs = performance.now() - startedAtMs;
      const restMs = isBulk ? Math.min(longestRestMs, tookMs * restFactor) : 0;
      if (restMs > 0) await setTimeout(restMs, undefined, { signal: closing.signal }).catch(() => undefined);
      await slot.free();
      following.delete(followed);
      dispatcher.wake();
    });
    following.add(followed);
  }

  return {
    wake: () => dispatcher.wake(),
    async stop() {
      await dispatcher.stop();
      // Temporal goes on with the scans themselves.
      closing.abort();
      await Promise.all(following);
      await slots.close();
    },
  };
}

interface ClaimedBatch {
  slot: Slot;
  startedAtMs: number;
  /** Whether the batch has bulk scans. */
  isBulk: boolean;
}

async function untilFinished(scan: StartedWorkflow, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await scan.finished(signal);
    } catch {
      // Temporal is unreachable, or `signal` was aborted, which ends the loop.
      await setTimeout(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}
