import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { startOfScan } from '#workflows/threats/scan.ts';

test.each([
  { isVersioned: false, requestEagerStart: true },
  // Temporal would run it in this process, whichever version is current.
  { isVersioned: true, requestEagerStart: false },
])(
  'a scan that a call waits for is started eagerly unless the worker has a version',
  async ({ isVersioned, requestEagerStart }) => {
    const asked: object[] = [];
    const client = {
      withDeadline: (_: number, call: () => unknown) => call(),
      workflow: {
        async start(_type: string, options: object) {
          asked.push(options);
          return { workflowId: 'id' };
        },
      },
    } as unknown as Client;
    const start = startOfScan('id', []);
    await createStartWorkflow({ client, taskQueue: 'q', isVersioned })(start);
    expect(asked).toMatchObject([{ taskQueue: 'q', requestEagerStart }]);
  },
);
