import type { WorkflowStartOptions } from '@temporalio/client';

/** How a workflow is started, on whichever task queue the installation uses. */
export interface WorkflowStart {
  type: string;
  /** Sent with the start; a workflow that runs already gets it too. Without it, one that runs already just goes on. */
  signal?: string;
  options: Omit<WorkflowStartOptions, 'taskQueue' | 'followRuns'>;
}

/** A workflow that Temporal starts again and again, one run at a time. */
export interface ScheduledStart {
  /** Of the schedule; its runs' workflow ids begin with it. */
  id: string;
  workflowType: string;
  everyMs: number;
  /** Shown in the Temporal UI. */
  summary: string;
}
