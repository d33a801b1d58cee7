import { housekeepingSchedule } from './housekeeping.ts';
import type { ScheduledStart } from './shared.ts';
import { threatListsSchedule } from './threat-lists.ts';
import { threatRescanSchedule } from './threat-rescan.ts';

/** Names as in the configuration. */
interface ScheduleConfig {
  THREAT_RESCAN_PER_DAY: number;
  /** Whether the threat scanner uses lists of hash prefixes. */
  usesThreatLists: boolean;
}

/** The schedules of an installation. */
export function schedulesOf({ usesThreatLists, THREAT_RESCAN_PER_DAY: perDay }: ScheduleConfig): ScheduledStart[] {
  return [...(usesThreatLists ? [threatListsSchedule] : []), housekeepingSchedule, threatRescanSchedule(perDay)];
}

/** Schedules to delete, which the configuration turns off. */
export function retiredScheduleIds({ usesThreatLists }: Pick<ScheduleConfig, 'usesThreatLists'>): string[] {
  return usesThreatLists ? [] : [threatListsSchedule.id];
}
