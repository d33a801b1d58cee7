import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy, type ScheduleOptions } from '@temporalio/client';

/** A workflow that is to run again and again, one at a time. */
export interface ScheduleDraft {
  /** Also the beginning of its runs' workflow ids. */
  id: string;
  workflowType: string;
  taskQueue: string;
  everyMs: number;
  /** For people, in the Temporal UI. */
  summary: string;
}

/**
 * Makes sure that a schedule is there and says what this version wants; whether an operator has paused it stays. May be
 * repeated at any time.
 * @throws the client's errors, where Temporal is away or refuses.
 */
export async function ensureSchedule(
  client: Client,
  { id, workflowType, taskQueue, everyMs, summary }: ScheduleDraft,
  timeoutMs = 5_000,
): Promise<void> {
  const options = {
    scheduleId: id,
    spec: { intervals: [{ every: everyMs }] },
    action: { type: 'startWorkflow', workflowType, taskQueue, workflowId: id, args: [], staticSummary: summary },
    // What was missed while Temporal was away is made up for by the next run.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  } satisfies ScheduleOptions;
  await client.withDeadline(Date.now() + timeoutMs, async () => {
    try {
      await client.schedule.create(options);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await client.schedule.getHandle(id).update(({ state }) => ({ ...options, state }));
    }
  });
}
