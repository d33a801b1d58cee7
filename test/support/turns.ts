import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { displayNameKey, lastErrorKey, nextStepKey, stateKey } from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';

/** Each turn is about six events: far more than one run of a workflow has. */
export const turns = 12;

/** A start of a workflow that a schedule starts in the product. */
export const scheduled = (type: string): WorkflowStart => ({
  type,
  options: { workflowId: `${type}-${randomUUID()}`, args: [] },
});

/** Counts calls of a mock by its name. */
export function counter(): { done: Record<string, number>; count: (name: string) => number } {
  const done: Record<string, number> = {};
  return { done, count: (name) => (done[name] = (done[name] ?? 0) + 1) };
}

/** What lists show of a workflow: its name, state, last error and next step. */
export async function columnsOf(handle: WorkflowHandle): Promise<unknown[]> {
  const { typedSearchAttributes: columns } = await handle.describe();
  return [displayNameKey, stateKey, lastErrorKey, nextStepKey].map((key) => columns.get(key));
}
