import type { Client, WorkflowHandle } from '@temporalio/client';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';

/** A workflow that Temporal has taken over. */
export interface StartedWorkflow {
  readonly workflowId: string;
  /** Resolves when the workflow ends, however it ends, or is no longer there; rejects when that cannot be known. */
  finished(signal: AbortSignal): Promise<void>;
}

/** Starts or signals a workflow. @throws the client's errors. */
export type StartWorkflow = (start: WorkflowStart) => Promise<StartedWorkflow>;

/** Starts workflows on one task queue; each call has `timeoutMs` at most. */
export function createStartWorkflow({
  client,
  taskQueue,
  timeoutMs = 5_000,
}: {
  client: Client;
  taskQueue: string;
  timeoutMs?: number;
}): StartWorkflow {
  return async ({ type, signal, options }) => {
    const handle = await client.withDeadline(Date.now() + timeoutMs, async (): Promise<WorkflowHandle> =>
      signal === undefined
        ? client.workflow.start(type, { ...options, taskQueue })
        : client.workflow.signalWithStart(type, { ...options, taskQueue, signal }),
    );
    return {
      workflowId: handle.workflowId,
      finished: (aborting) => untilAborted(ended(handle.result()), aborting),
    };
  };
}

/** A worker's connection cancels no calls: a call that goes on must not hold up the end of the process. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** A workflow that failed, was terminated or is gone has ended as well. */
async function ended(result: Promise<unknown>): Promise<void> {
  try {
    await result;
  } catch (error) {
    const names = ['WorkflowFailedError', 'WorkflowNotFoundError', 'WorkflowContinuedAsNewError'];
    if (!(error instanceof Error) || !names.includes(error.name)) throw error;
  }
}
