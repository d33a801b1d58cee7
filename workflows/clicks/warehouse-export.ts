import { setCurrentDetails } from '@temporalio/workflow';
import type { WarehouseActivities, WarehouseTurn } from '#activities/warehouse/warehouse.ts';
import type { ScheduledStart } from '#core/temporal/workflow-start.ts';
import { activitiesOf, endRun, goOn, minuteMs, showInLists, turnPolicy } from '#workflows/shared.ts';

export const warehouseSchedule = (perDay: number): ScheduledStart => ({
  id: 'warehouse-export',
  workflowType: 'warehouseExport',
  everyMs: (24 * 60 * minuteMs) / perDay,
  summary: 'Write clicks and links as Parquet files for warehouses',
});

/** What an export has written so far. Runs of earlier releases know no failures. */
type WarehouseProgress = Omit<WarehouseTurn, 'more' | 'error'> & { failures?: Failures };

interface Failures {
  /** Organizations whose files were not written. */
  count: number;
  /** How many of them came last, one after the other. */
  inARow: number;
  last: string;
}

/**
 * A turn of some five minutes; the files of one month are written in one, however long that takes. Months that a dead worker has
 * written are passed over.
 */
const policy = turnPolicy('6h');

// Each turn is about six events of the history.
const maxHistoryLength = 1_000;
// A storage that fails for so many organizations fails for all.
const mostFailuresInARow = 10;
const nothing: WarehouseProgress = { organizations: 0, files: 0, rows: 0, unchanged: 0, after: null };

/**
 * Writes the files of all organizations whose clicks or links have changed. Started by a schedule. An organization whose files cannot be
 * written stops no other; the next run tries it again.
 */
export async function warehouseExport(before: WarehouseProgress = nothing): Promise<WarehouseProgress> {
  showInLists({ state: 'running' });
  const { exportToWarehouse } = activitiesOf<WarehouseActivities>(policy, 'Write files for warehouses');
  let progress = before;
  for (let isDone = false; !isDone;) {
    setCurrentDetails(describe(progress));
    const { more, after, error, ...some } = await exportToWarehouse({ after: progress.after });
    const failures = addFailure(progress.failures, some.organizations, after, error);
    progress = {
      organizations: progress.organizations + some.organizations,
      files: progress.files + some.files,
      rows: progress.rows + some.rows,
      unchanged: progress.unchanged + some.unchanged,
      after,
      ...(failures === undefined ? {} : { failures }),
    };
    isDone = !more || (failures !== undefined && failures.inARow >= mostFailuresInARow);
    if (!isDone) await goOn<typeof warehouseExport>(maxHistoryLength, progress);
  }
  setCurrentDetails(describe(progress));
  const { failures } = progress;
  if (failures === undefined) return endRun('completed', null, progress);
  return endRun('incomplete', `${describeFailures(failures)}: ${failures.last}`, progress);
}

function addFailure(
  before: Failures | undefined,
  done: number,
  organizationId: string | null,
  error: string | undefined,
): Failures | undefined {
  if (error !== undefined)
    return {
      count: (before?.count ?? 0) + 1,
      inARow: (before?.inARow ?? 0) + 1,
      last: `${organizationId}: ${error}`,
    };
  return before === undefined || done === 0 ? before : { ...before, inARow: 0 };
}

function describe({ organizations, files, rows, unchanged, failures }: WarehouseProgress): string {
  const text = `${organizations} organizations: ${files} files of ${rows} rows written, ${unchanged} months as before`;
  return failures === undefined ? `${text}.` : `${text}; ${describeFailures(failures)}, at last ${failures.last}`;
}

function describeFailures({ count }: Failures): string {
  return `no files for ${count} ${count === 1 ? 'organization' : 'organizations'}`;
}
