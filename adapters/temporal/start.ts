import type { Client, WorkflowHandle } from '@temporalio/client';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';

/** Starts or signals a workflow; resolves once Temporal has taken it over. @throws the client's errors. */
export type StartWorkflow = (start: WorkflowStart) => Promise<void>;

/**
 * Starts workflows on one task queue; each call has `timeoutMs` at most.
 * @param options `isVersioned`: the worker of this process has a version. Then no start is eager: Temporal would give it to this process
 * whichever version is current.
 */
export function createStartWorkflow({
  client,
  taskQueue,
  isVersioned = false,
  timeoutMs = 5_000,
}: {
  client: Client;
  taskQueue: string;
  isVersioned?: boolean;
  timeoutMs?: number;
}): StartWorkflow {
  return async ({ type, signal, options }) => {
    await client.withDeadline(Date.now() + timeoutMs, async (): Promise<WorkflowHandle> =>
      signal === undefined
        ? client.workflow.start(type, { ...options, taskQueue, ...(isVersioned ? { requestEagerStart: false } : {}) })
        : client.workflow.signalWithStart(type, { ...options, taskQueue, signal }),
    );
  };
}
