import type { WorkflowHandle } from '@temporalio/client';

interface Definition {
  name?: string | null;
  description?: string | null;
}

/** Metadata that a workflow shows operators: its current details, queries, signals and updates. */
export interface WorkflowMetadata {
  currentDetails?: string | null;
  definition?: {
    queryDefinitions?: Definition[] | null;
    signalDefinitions?: Definition[] | null;
    updateDefinitions?: Definition[] | null;
  } | null;
}

/** Reads the workflow metadata that the Temporal UI shows. */
export function readMetadata(handle: WorkflowHandle): Promise<WorkflowMetadata> {
  return handle.query<WorkflowMetadata>('__temporal_workflow_metadata');
}

/** Summaries of the timers that a workflow has started, in their order. */
export async function timerSummaries(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .filter(({ timerStartedEventAttributes: started }) => started !== null && started !== undefined)
    .map(({ userMetadata }) => JSON.parse(Buffer.from(userMetadata?.summary?.data ?? []).toString() || '""') as string);
}
