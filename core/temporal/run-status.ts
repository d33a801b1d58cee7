/** How Temporal has a run, and its name in Temporal's queries. */
export const runStatuses = {
  running: 'Running',
  paused: 'Paused',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
  terminated: 'Terminated',
  timed_out: 'TimedOut',
  continued_as_new: 'ContinuedAsNew',
} as const;

export type RunStatus = keyof typeof runStatuses;
