import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { workflowBundlePath } from '#scripts/build/workflows.ts';

/** Where the histories are that replay tests read. */
export const historiesFolder = join(import.meta.dirname, '..', 'workflows', 'histories');

/**
 * Keeps the history of a workflow for replay tests, when RECORD_HISTORIES is set and there is none of that name; else nothing
 * happens. An existing history stays unchanged: running workflows of earlier releases must continue (docs/adr/0003).
 */
export async function recordHistory(name: string, handle: WorkflowHandle): Promise<void> {
  const path = join(historiesFolder, `${name}.json`);
  if (process.env.RECORD_HISTORIES === undefined || existsSync(path)) return;
  mkdirSync(historiesFolder, { recursive: true });
  const { events } = JSON.parse(historyToJSON(await handle.fetchHistory())) as { events: HistoryEvent[] };
  // A line an event.
  const text = `{"events":[\n${events.map((event) => JSON.stringify(event)).join(',\n')}\n]}\n`;
  // A replay does not read the names of machines.
  writeFileSync(path, text.replaceAll(/\d+@[\w.-]+/g, 'worker'));
}

/** Runs today's workflows against histories. @returns the errors by workflow id; undefined: the history replays. */
export async function replay(
  histories: readonly { workflowId: string; history: unknown }[],
): Promise<ReadonlyMap<string, Error | undefined>> {
  const replayed = new Map<string, Error | undefined>();
  const results = Worker.runReplayHistories({ workflowBundle: { codePath: workflowBundlePath } }, histories);
  for await (const { workflowId, error } of results) replayed.set(workflowId, error);
  return replayed;
}

interface HistoryEvent {
  eventId: string;
  eventTime: string;
  eventType: string;
}

/** The history of a workflow so far, followed by signals and a workflow task that continues as new. */
export async function historyWithSignals(
  handle: WorkflowHandle,
  { signalName, count }: { signalName: string; count: number },
): Promise<unknown> {
  const { events } = JSON.parse(historyToJSON(await handle.fetchHistory())) as { events: HistoryEvent[] };
  const { eventTime } = events.at(-1)!;
  const add = (eventType: string, attributes: object): string => {
    const eventId = String(events.length + 1);
    events.push({ eventId, eventTime, eventType: `EVENT_TYPE_${eventType}`, ...attributes });
    return eventId;
  };
  const signaled = { workflowExecutionSignaledEventAttributes: { signalName, input: {}, identity: 'test' } };
  for (let signal = 0; signal < count; signal += 1) add('WORKFLOW_EXECUTION_SIGNALED', signaled);
  const scheduledEventId = add('WORKFLOW_TASK_SCHEDULED', { workflowTaskScheduledEventAttributes: { attempt: 1 } });
  const startedEventId = add('WORKFLOW_TASK_STARTED', { workflowTaskStartedEventAttributes: { scheduledEventId } });
  const workflowTaskCompletedEventId = add('WORKFLOW_TASK_COMPLETED', {
    workflowTaskCompletedEventAttributes: { scheduledEventId, startedEventId },
  });
  add('WORKFLOW_EXECUTION_CONTINUED_AS_NEW', {
    workflowExecutionContinuedAsNewEventAttributes: { workflowTaskCompletedEventId, newExecutionRunId: 'next' },
  });
  return { events };
}
