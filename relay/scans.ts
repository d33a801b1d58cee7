import { uuidv7 } from '#core/lib/uuid.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { claim, type ClaimedRow, lanes } from '#db/outbox.ts';
import { release } from '#db/outbox-rows.ts';
import { takeScans } from '#db/threats/scan-queue.ts';
import { answerDueMs, extendDue, listScanTargets, requeueOverdue, type ScanTarget } from '#db/threats/verdicts.ts';
import { startOfScan } from '#workflows/threats/scan.ts';
import { createDispatcher, type RelayContext } from './dispatcher.ts';
import type { RelayPart } from './loop.ts';
import { weigh } from './weights.ts';

/** Limit: the link ids of 40 destinations fill most of the 2,048 bytes that a search attribute holds. */
export const maxBatch = 40;

const rowsAtOnce = 200;
// Longer than starting the scans of the rows takes. Rows of a relay that died come back after it; a second scan of them finds
// the verdicts of the first.
const leaseMs = 20_000;
// A row that failed this often goes alone, so that it cannot take others with it.
const triesInCompany = 2;
// Bulk scans may wait in Temporal behind those of other organizations.
const bulkDueMs = 600_000;
const overdueAtOnce = 500;

/** `perDay`: scans that an organization may have in a day (UTC). */
type ScanOptions = RelayContext & { perDay: number };

/**
 * Dispatches threat scans: one workflow scans up to 40 destinations of one organization. Temporal orders the workflows: scans that
 * a caller waits for run first, and organizations take turns.
 */
export function createScans({ perDay, ...context }: ScanOptions): RelayPart {
  const { db, em, counts, startWorkflow } = context;

  /** Claims interactive scans first. Scans past the budget of their organization are put off until the next day. */
  async function claimScans(): Promise<ClaimedRow[]> {
    const rows = await claim(db, 'threat-scan', { limit: rowsAtOnce, leaseMs });
    if (rows.length < rowsAtOnce)
      rows.push(...(await claim(db, 'threat-scan', { limit: rowsAtOnce - rows.length, leaseMs, lane: lanes.bulk })));
    const counted = rows.filter(({ attempts }) => attempts === 1);
    if (counted.length === 0) return rows;
    const byOrganization = Map.groupBy(counted, ({ organizationId }) => organizationId);
    const asked = new Map([...byOrganization].map(([organizationId, scans]) => [organizationId, scans.length]));
    const spent = new Set<ClaimedRow>();
    for (const [organizationId, { granted, nextDayInMs }] of await takeScans(db, asked, perDay)) {
      const late = byOrganization.get(organizationId)!.slice(granted);
      await release(em, late, nextDayInMs);
      for (const row of late) spent.add(row);
    }
    return rows.filter((row) => !spent.has(row));
  }

  async function startScan(start: WorkflowStart, targets: readonly ScanTarget[], isBulk: boolean): Promise<void> {
    const hashes = targets.map(({ urlHash }) => urlHash);
    await extendDue(em.fork(), hashes, isBulk ? bulkDueMs : answerDueMs);
    await startWorkflow(start);
    counts.scans += 1;
    counts.destinations += targets.length;
  }

  return createDispatcher(
    {
      kind: 'threat-scan',
      claim: claimScans,
      async plan(rows) {
        const targets = Map.groupBy(
          await listScanTargets(
            db,
            rows.map(({ subjectId }) => subjectId),
          ),
          ({ destinationId }) => destinationId,
        );
        const found = rows.flatMap((row) => {
          const its = targets.get(row.subjectId);
          return its === undefined ? [] : [{ row, targets: its }];
        });
        const scans = batchesOf(found).map((batch) => {
          const its = batch.flatMap(({ targets: of }) => of);
          const isBulk = batch[0]!.row.lane === lanes.bulk;
          const start = startOfScan(uuidv7(), its, { isBulk });
          return { start, rows: batch.map(({ row }) => row), run: () => startScan(start, its, isBulk) };
        });
        await weigh(
          em.fork(),
          scans.map(({ start }) => start),
        );
        return scans;
      },
      async requeue() {
        const { seen, requeued } = await requeueOverdue(em.fork(), overdueAtOnce);
        return { requeued, more: seen === overdueAtOnce };
      },
    },
    context,
  );
}

/** A claimed row with the addresses that are to be scanned for it. */
interface ClaimedScan {
  row: ClaimedRow;
  targets: readonly ScanTarget[];
}

/** Divides scans into batches of one organization and lane each. */
function batchesOf(scans: readonly ClaimedScan[]): ClaimedScan[][] {
  const groups = Map.groupBy(scans, ({ row: { id, attempts, lane }, targets }) =>
    attempts > triesInCompany ? String(id) : `${targets[0]!.organizationId} ${lane}`,
  );
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / maxBatch) }, (_, index) =>
      group.slice(index * maxBatch, (index + 1) * maxBatch),
    ),
  );
}
