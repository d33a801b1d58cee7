import type { Client } from '@temporalio/client';
import type { MockActivityEnvironment } from '@temporalio/testing';
import type { StartWorkflow } from '#adapters/temporal/start.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { activityEnvironment } from './activities.ts';

/** Workflows whose part a function of the test plays, so that relay and activities work without Temporal. */
export interface PlayedWorkflows {
  /** Plays a workflow, unless the one of this id is under way. */
  startWorkflow: StartWorkflow;
  /** Starts so far, the last of each workflow id. */
  starts: Map<string, WorkflowStart>;
  /** Results of those that have ended. */
  results: Map<string, unknown>;
  /** What activities sent to workflows: names with arguments. */
  signals: unknown[][];
  /** Ends all that are under way, as if Temporal had lost them. */
  lose(): Promise<void>;
}

const mostFailures = 50;

/**
 * Plays workflows by running their activities one after the other in `environment`.
 * @param play begins again where it fails, as Temporal tries an activity again; it must not begin a turn in an environment that is cancelled.
 */
export function playWorkflows(
  play: (start: WorkflowStart, environment: MockActivityEnvironment) => Promise<unknown>,
): PlayedWorkflows {
  const running = new Map<string, { environment: MockActivityEnvironment; done: Promise<void> }>();
  const starts = new Map<string, WorkflowStart>();
  const results = new Map<string, unknown>();
  const signals: unknown[][] = [];
  const handle = { signal: async (...signal: unknown[]) => void signals.push(signal) };
  const client = {
    withAbortSignal: (_: AbortSignal, call: () => unknown) => call(),
    workflow: { getHandle: () => handle },
  } as unknown as Client;

  async function run(start: WorkflowStart, environment: MockActivityEnvironment): Promise<void> {
    const { workflowId } = start.options;
    for (let failures = 1; !environment.context.cancellationSignal.aborted; failures += 1) {
      try {
        results.set(workflowId, await play(start, environment));
        return;
      } catch (error) {
        if (failures === mostFailures) throw error;
        await environment.context.sleep(20).catch(() => undefined);
      }
    }
  }

  return {
    starts,
    results,
    signals,
    async startWorkflow(start) {
      const { workflowId } = start.options;
      if (running.has(workflowId)) return;
      starts.set(workflowId, start);
      const environment = activityEnvironment({}, client);
      const done = run(start, environment).finally(() => running.delete(workflowId));
      running.set(workflowId, { environment, done });
    },
    async lose() {
      const all = [...running.values()];
      for (const { environment } of all) environment.cancel();
      await Promise.all(all.map(({ done }) => done));
    },
  };
}
