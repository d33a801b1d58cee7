const hourMs = 60 * 60 * 1_000;

/** A workflow that Temporal starts again and again. */
interface ScheduledStart {
  /** Of the schedule; its runs' workflow ids begin with it. */
  id: string;
  workflowType: string;
  everyMs: number;
  /** Shown in the Temporal UI. */
  summary: string;
}

/** The schedule of `threatRescan`. */
export const threatRescanScheduleId = 'threat-rescan';

/** The schedules of an installation; names as in the configuration. */
export function schedulesOf(config: { CLICK_RETENTION_DAYS: number; THREAT_RESCAN_PER_DAY: number }): ScheduledStart[] {
  return [
    {
      id: 'file-sweep',
      workflowType: 'fileSweep',
      everyMs: hourMs,
      summary: 'Remove uploaded files that nothing shows',
    },
    {
      id: 'visitor-keys',
      workflowType: 'visitorKeys',
      everyMs: hourMs,
      summary: "Destroy the keys of past months' visitors",
    },
    {
      id: threatRescanScheduleId,
      workflowType: 'threatRescan',
      everyMs: (24 * hourMs) / config.THREAT_RESCAN_PER_DAY,
      summary: 'Ask again about all that links and domains lead to',
    },
    ...(config.CLICK_RETENTION_DAYS > 0
      ? [
          {
            id: 'click-retention',
            workflowType: 'clickRetention',
            everyMs: hourMs,
            summary: 'Remove clicks that are too old',
          },
        ]
      : []),
  ];
}
