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

/** A timer that a workflow has started. */
interface StartedTimer {
  summary: string;
  ms: number;
}

/** The timers that a workflow has started, in their order. */
export async function timersOf(handle: WorkflowHandle): Promise<StartedTimer[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: started, userMetadata }) => {
    if (started === null || started === undefined) return [];
    const { seconds, nanos } = started.startToFireTimeout!;
    const summary = JSON.parse(Buffer.from(userMetadata?.summary?.data ?? []).toString() || '""') as string;
    return [{ summary, ms: Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1_000_000 }];
  });
}
