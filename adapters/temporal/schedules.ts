import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { priorities } from '#core/temporal/priorities.ts';
import { displayNameKey, stateKey } from '#core/temporal/search-attributes.ts';
import type { ScheduledStart } from '#core/temporal/workflow-start.ts';

type ScheduleDraft = ScheduledStart & { taskQueue: string };

// One run at a time. The next run does the work of runs that were missed while Temporal was unreachable.
const overlap = ScheduleOverlapPolicy.SKIP;
const catchupMs = 60_000;
const timeoutMs = 20_000;
// SDK 1.24 sends the priority, and has no type for it.
const inBackground = { priority: { priorityKey: priorities.background } };

/**
 * Creates a schedule, or brings it up to date; a schedule that an operator has paused stays paused. May be repeated at any
 * time.
 * @throws the client's errors, where Temporal is unreachable or refuses.
 */
export async function ensureSchedule(client: Client, draft: ScheduleDraft): Promise<void> {
  const { id, workflowType, taskQueue, everyMs, summary } = draft;
  const options = {
    scheduleId: id,
    spec: { intervals: [{ every: everyMs }] },
    action: {
      type: 'startWorkflow',
      workflowType,
      taskQueue,
      workflowId: id,
      args: [],
      staticSummary: summary,
      typedSearchAttributes: [
        { key: displayNameKey, value: id },
        { key: stateKey, value: 'running' },
      ],
      ...inBackground,
    },
    policies: { overlap, catchupWindow: catchupMs },
  } satisfies ScheduleOptions;
  await client.withDeadline(Date.now() + timeoutMs, async () => {
    try {
      await client.schedule.create(options);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      const handle = client.schedule.getHandle(id);
      // An update also sets whether the schedule is paused: a needless one could undo an operator's pause of the same moment.
      if (isSame(await handle.describe(), draft)) return;
      await handle.update(({ state }) => ({ ...options, state }));
    }
  });
}

/** @returns undefined: there is no such schedule. @throws the client's other errors, where Temporal is unreachable or refuses. */
async function askSchedule<T>(
  client: Client,
  id: string,
  ask: (handle: ScheduleHandle) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await client.withDeadline(Date.now() + timeoutMs, () => ask(client.schedule.getHandle(id)));
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

/** Deletes a schedule where there is one; what it has started goes on. @throws the client's errors. */
export async function deleteSchedule(client: Client, id: string): Promise<void> {
  await askSchedule(client, id, (handle) => handle.delete());
}

/** Whether the service has a schedule. @throws the client's errors, where Temporal is unreachable or refuses. */
export async function hasSchedule(client: Client, id: string): Promise<boolean> {
  return (await askSchedule(client, id, (handle) => handle.describe())) !== undefined;
}

/** Whether a schedule is as this version wants it. */
function isSame({ spec, action, policies }: ScheduleDescription, draft: ScheduleDraft): boolean {
  return (
    action.type === 'startWorkflow' &&
    action.workflowType === draft.workflowType &&
    action.taskQueue === draft.taskQueue &&
    action.staticSummary === draft.summary &&
    action.priority?.priorityKey === inBackground.priority.priorityKey &&
    policies.overlap === overlap &&
    policies.catchupWindow === catchupMs &&
    spec.intervals?.length === 1 &&
    spec.intervals[0]!.every === draft.everyMs
  );
}

/**
 * Starts a run of a schedule now, unless one is in progress.
 * @returns the id of the workflow that is in progress; null: there was none; undefined: there is no such schedule.
 * @throws the client's errors, where Temporal is unreachable or refuses.
 */
export function triggerSchedule(client: Client, id: string): Promise<string | null | undefined> {
  return askSchedule(client, id, async (handle) => {
    const { info } = await handle.describe();
    // Asks the workflow itself: a schedule may list as running none of the workflows that it started.
    const last = info.recentActions.at(-1)?.action;
    const workflowId = last?.type === 'startWorkflow' ? last.workflow.workflowId : undefined;
    if (workflowId !== undefined && (await isRunning(client, workflowId))) return workflowId;
    await handle.trigger();
    return null;
  });
}

/** Whether a workflow has not ended; a paused one goes on later. @throws the client's errors. */
export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' || status.name === 'PAUSED';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
