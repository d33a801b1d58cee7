import { continueAsNew, setCurrentDetails } from '@temporalio/workflow';
import type { WarehouseActivities, WarehouseTurn } from '#activities/warehouse/warehouse.ts';
import {
  activitiesOf,
  goOn,
  isHistoryLong,
  minuteMs,
  type Policy,
  type ScheduledStart,
  showInLists,
} from './shared.ts';

export const warehouseScheduleId = 'warehouse-export';

/** Its schedule. */
export const warehouseSchedule = (perDay: number): ScheduledStart => ({
  id: warehouseScheduleId,
  workflowType: 'warehouseExport',
  everyMs: (24 * 60 * minuteMs) / perDay,
  summary: 'Write clicks and links as Parquet files for warehouses',
});

/** What an export has written so far. */
type WarehouseProgress = Omit<WarehouseTurn, 'more'>;

/**
 * A turn of some five minutes; the files of one month are written in one, however long that takes. A dead worker is noticed by its missing
 * heartbeat, and months that it has written are passed over.
 */
const policy: Policy = {
  queue: 'bulk',
  startToCloseTimeout: '6h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};

// Each turn is about six events of the history.
const maxHistoryLength = 1_000;
const nothing: WarehouseProgress = { organizations: 0, files: 0, rows: 0, unchanged: 0, after: null };

/** Writes the files of all organizations whose clicks or links have changed. Started by a schedule. */
export async function warehouseExport(before: WarehouseProgress = nothing): Promise<WarehouseProgress> {
  showInLists({ state: 'running' });
  const { exportToWarehouse } = activitiesOf<WarehouseActivities>(policy, 'Write files for warehouses');
  let progress = before;
  for (let isDone = false; !isDone;) {
    setCurrentDetails(describe(progress));
    const { more, after, ...some } = await exportToWarehouse({ after: progress.after });
    progress = {
      organizations: progress.organizations + some.organizations,
      files: progress.files + some.files,
      rows: progress.rows + some.rows,
      unchanged: progress.unchanged + some.unchanged,
      after,
    };
    isDone = !more;
    if (more) await goOn(isHistoryLong(maxHistoryLength), () => continueAsNew<typeof warehouseExport>(progress));
  }
  setCurrentDetails(describe(progress));
  showInLists({ state: 'completed' });
  return progress;
}

function describe({ organizations, files, rows, unchanged }: WarehouseProgress): string {
  return `${organizations} organizations: ${files} files of ${rows} rows written, ${unchanged} months as before.`;
}
