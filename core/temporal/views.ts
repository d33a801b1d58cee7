/** Lists of processes that operators look at first, each with its title in the Temporal UI. */
export const viewTitles = {
  failingWebhooks: 'Failing webhooks',
  waitingDomains: 'Domains that wait',
  lockedDeletions: 'Deletes that wait for a lock',
  late: 'Due and late',
  failed: 'Failed',
  paused: 'Paused',
} as const;

export type ProcessView = keyof typeof viewTitles;
export const processViews = Object.keys(viewTitles) as [ProcessView, ...ProcessView[]];

// Longer than a pump takes: its webhook's next moment is shown once it has ended.
const lateAfterMs = 60_000;

/** The query of a view in Temporal's language. */
export function queryOf(view: ProcessView, now: Date): string {
  const lateBefore = new Date(now.getTime() - lateAfterMs).toISOString();
  const queries: Record<ProcessView, string> = {
    failingWebhooks: `WorkflowType = 'webhook' and ExecutionStatus = 'Running' and state in ('failing', 'off') and lastError is not null`,
    waitingDomains: `WorkflowType = 'domain' and ExecutionStatus = 'Running' and state in ('unverified', 'taken', 'failing')`,
    lockedDeletions: `WorkflowId STARTS_WITH 'delete-' and ExecutionStatus = 'Running' and state = 'locked'`,
    late: `ExecutionStatus = 'Running' and nextAt < '${lateBefore}'`,
    failed: `ExecutionStatus in ('Failed', 'TimedOut')`,
    paused: `ExecutionStatus = 'Paused'`,
  };
  return queries[view];
}
