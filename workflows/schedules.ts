import { housekeepingSchedule } from './housekeeping.ts';
import type { ScheduledStart } from './shared.ts';
import { threatListsSchedule } from './threats/lists.ts';
import { threatRescanSchedule } from './threats/rescan.ts';
import { warehouseSchedule, warehouseScheduleId } from './clicks/warehouse-export.ts';

/** Names as in the configuration. */
interface ScheduleConfig {
  THREAT_RESCAN_PER_DAY: number;
  /** 0: none. */
  WAREHOUSE_EXPORTS_PER_DAY: number;
  /** Whether the threat scanner uses lists of hash prefixes. */
  usesThreatLists: boolean;
}

/** The schedules of an installation. */
export function schedulesOf({
  usesThreatLists,
  THREAT_RESCAN_PER_DAY: perDay,
  WAREHOUSE_EXPORTS_PER_DAY: exportsPerDay,
}: ScheduleConfig): ScheduledStart[] {
  return [
    ...(usesThreatLists ? [threatListsSchedule] : []),
    housekeepingSchedule,
    threatRescanSchedule(perDay),
    ...(exportsPerDay > 0 ? [warehouseSchedule(exportsPerDay)] : []),
  ];
}

/** Schedules to delete, which the configuration turns off. */
export function retiredScheduleIds({
  usesThreatLists,
  WAREHOUSE_EXPORTS_PER_DAY: exportsPerDay,
}: Omit<ScheduleConfig, 'THREAT_RESCAN_PER_DAY'>): string[] {
  return [...(usesThreatLists ? [] : [threatListsSchedule.id]), ...(exportsPerDay > 0 ? [] : [warehouseScheduleId])];
}
