import type { Client } from '@temporalio/client';
import type { MockActivityEnvironment } from '@temporalio/testing';
import type { StartWorkflow } from '#adapters/temporal/start.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { activityEnvironment } from './activities.ts';

/** Workflows whose part a function of the test plays, so that relay and activities work without Temporal. */
export interface PlayedWorkflows {
  /** Plays a workflow; of one that is under way the environment emits `wake`. */
  startWorkflow: StartWorkflow;
  /** Starts so far, the last of each workflow id. */
  starts: Map<string, WorkflowStart>;
  /** What `play` returned for each workflow that has ended, by workflow id. */
  results: Map<string, unknown>;
  /** What activities sent to workflows: names with arguments. */
  signals: unknown[][];
  /** Cancels every workflow that is under way and waits for its end, as if the Temporal server had lost it. */
  lose(): Promise<void>;
}

const mostFailures = 50;

type RunActivity = <T>(activity: () => Promise<T>) => Promise<T>;

/**
 * Plays workflows by running their activities one after the other.
 * @param play runs them by `run`; where it fails it begins again, as Temporal tries an activity again.
 */
export function playWorkflows(
  play: (start: WorkflowStart, run: RunActivity, environment: MockActivityEnvironment) => Promise<unknown>,
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

  async function playOn(start: WorkflowStart, environment: MockActivityEnvironment): Promise<void> {
    const { workflowId } = start.options;
    const runActivity: RunActivity = (activity) => environment.run(activity);
    for (let failures = 1; !environment.context.cancellationSignal.aborted; failures += 1) {
      try {
        results.set(workflowId, await play(start, runActivity, environment));
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
      const underWay = running.get(workflowId);
      if (underWay !== undefined) return void underWay.environment.emit('wake');
      starts.set(workflowId, start);
      const environment = activityEnvironment({ activityId: workflowId }, client);
      const done = playOn(start, environment).finally(() => running.delete(workflowId));
      running.set(workflowId, { environment, done });
    },
    async lose() {
      const all = [...running.values()];
      for (const { environment } of all) environment.cancel();
      await Promise.all(all.map(({ done }) => done));
    },
  };
}
