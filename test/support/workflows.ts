import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { WorkflowExecutionInfo, WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { loadConfig } from '#config/load.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { temporalDynamicSettings } from '#scripts/embedded/temporal/temporal.ts';
import { useFixture } from './fixture.ts';
import { installSilentRuntime, startWorkerOf, type TestWorker } from './test-worker.ts';

/** After how many events this server suggests to continue as new; by default it does after thousands. */
export const eventsPerRun = 40;

/** Workflows of the product on a Temporal server of the file's own. Their activities are the mocks of each test. */
export interface TestWorkflows extends TestWorker {
  /** Sets the activities of a test, in place of those of the test before. */
  mock(activities: object): void;
  /** Starts a workflow as the relay does, under an id of its own. */
  start(start: WorkflowStart): Promise<WorkflowHandle>;
  /** All runs of a workflow, the latest first. */
  runsOf(workflowId: string): Promise<WorkflowExecutionInfo[]>;
}

/** Starts the server with a worker of all task queues, for the tests of a file. */
export function useWorkflows(): TestWorkflows {
  return useFixture(startWorkflows);
}

async function startWorkflows(): Promise<TestWorkflows> {
  const { TEMPORAL_CLI, WAYMARK_CACHE_DIR } = process.env;
  const config = loadConfig({ TEMPORAL_CLI, WAYMARK_CACHE_DIR });
  const { path } = await findTemporalBinary({ cli: config.TEMPORAL_CLI, cacheDir: config.WAYMARK_CACHE_DIR });
  installSilentRuntime();
  const settings = [...temporalDynamicSettings, `limit.historyCount.suggestContinueAsNew=${eventsPerRun}`];
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      ip: '127.0.0.1',
      log: { format: 'json', level: 'error' },
      extraArgs: [
        '--disable-config-file',
        '--disable-config-env',
        ...settings.flatMap((setting) => ['--dynamic-config-value', setting]),
      ],
    },
  });
  let mocks: Record<string, (...args: unknown[]) => unknown> = {};
  const run = (...args: unknown[]): unknown => {
    const { activityType } = Context.current().info;
    const mock = mocks[activityType];
    if (mock === undefined) throw ApplicationFailure.nonRetryable(`The test has no activity ${activityType}`);
    return mock(...args);
  };
  const { address, namespace = 'default' } = environment;
  const worker = await startWorkerOf({ address, namespace, taskQueue: `test-${randomUUID()}` }, () => ({
    default: run,
  }));
  const { client, taskQueue } = worker;
  return {
    ...worker,
    mock: (activities) => void (mocks = activities as typeof mocks),
    start: ({ type, options }) => client.workflow.start(type, { ...options, taskQueue }),
    async runsOf(workflowId) {
      const runs: WorkflowExecutionInfo[] = [];
      for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run);
      return runs;
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await environment.teardown();
    },
  };
}
