import type { ScheduledStart } from '#core/temporal/workflow-start.ts';
import { warehouseSchedule } from './clicks/warehouse-export.ts';
import { housekeepingSchedule } from './housekeeping.ts';
import { threatListsSchedule } from './threats/lists.ts';
import { threatRescanSchedule } from './threats/rescan.ts';

/** Names as in the configuration. */
interface ScheduleConfig {
  THREAT_RESCAN_PER_DAY: number;
  /** 0: none. */
  WAREHOUSE_EXPORTS_PER_DAY: number;
  /** Whether the threat scanner uses lists of hash prefixes. */
  usesThreatLists: boolean;
}

/** All schedules; the configuration turns some off. */
export function schedulesOf(config: ScheduleConfig): { schedule: ScheduledStart; isOn: boolean }[] {
  const { usesThreatLists, THREAT_RESCAN_PER_DAY: rescans, WAREHOUSE_EXPORTS_PER_DAY: exports } = config;
  return [
    { schedule: threatListsSchedule, isOn: usesThreatLists },
    { schedule: housekeepingSchedule, isOn: true },
    { schedule: threatRescanSchedule(rescans), isOn: true },
    { schedule: warehouseSchedule(exports), isOn: exports > 0 },
  ];
}
