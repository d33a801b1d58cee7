// @module-tag slow

import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporalForTest } from '#test/support/stack.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';
import { moveClicksId } from '#workflows/clicks/move-clicks.ts';

const cli = createCliFixture();
let connection: Connection;
let client: Client;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  // No worker polls this queue, so the started workflow stays running.
  const { address, namespace, taskQueue } = temporalForTest();
  connection = await Connection.connect({ address });
  client = new Client({ connection, namespace });
  env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue };
});
afterAll(() => connection.close());

test.each([
  ['copy', 'postgresql', false],
  ['move', 'clickhouse', true],
])('clicks %s starts the workflow to %s, one at a time', async (name, to, removes) => {
  const handle = client.workflow.getHandle(moveClicksId);
  try {
    expect(await cli.json(['clicks', name, '--to', to], { env })).toEqual({ workflowId: 'move-clicks', to });
    const { events } = await handle.fetchHistory();
    const [payload] = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads!;
    expect(JSON.parse(Buffer.from(payload!.data!).toString())).toEqual({ to, removes });
    expect(await cli.run(['clicks', 'copy', '--to', 'clickhouse'], { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining('A move runs already'),
    });
  } finally {
    await handle.terminate();
  }
});

test('clicks move has no way that removes clicks from ClickHouse', async () => {
  expect(await cli.run(['clicks', 'move', '--to', 'postgresql'], { env })).toMatchObject({
    code: 2,
    err: expect.stringContaining('--to'),
  });
});
