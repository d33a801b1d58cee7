// @module-tag slow

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerSearchAttributes } from '#adapters/temporal/client.ts';
import { ensureSchedule } from '#adapters/temporal/schedules.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { temporalForTest } from '#test/support/stack.ts';
import { silent } from '#test/support/test-worker.ts';
import { createTemporalGate } from '#test/support/temporal-gate.ts';
import { threatRescanScheduleId } from '#workflows/threats/rescan.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';

const cli = createCliFixture();
let connection: Connection;
let client: Client;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const { address } = temporalForTest();
  connection = await Connection.connect({ address });
  // The schedule has one name: in a namespace of their own, workers of other tests neither create it nor have its day begin.
  const namespace = `threats-${randomUUID()}`;
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1 day') });
  client = new Client({ connection, namespace });
  // The service takes a moment to know a new namespace.
  await eventually(() =>
    registerSearchAttributes(client, namespace, silent).then(
      () => true,
      () => false,
    ),
  );
  env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
});
afterAll(() => connection.close());

describe('threats rescan', () => {
  test('threats rescan runs the schedule once, now', async () => {
    // No worker polls this queue, so the started workflow stays running.
    const { taskQueue } = temporalForTest();
    // Intervals count from 1970: this one ends in 2052, so nothing but the command starts a run.
    const everyMs = 30_000 * 24 * 60 * 60 * 1_000;
    const draft = { id: threatRescanScheduleId, workflowType: 'threatRescan', everyMs, summary: 'Test', taskQueue };
    await ensureSchedule(client, draft);
    try {
      expect(await cli.json(['threats', 'rescan'], { env })).toEqual({
        scheduleId: 'threat-rescan',
        triggered: true,
        running: null,
      });
      const running = await eventually(async () => {
        const { info } = await client.schedule.getHandle(threatRescanScheduleId).describe();
        const action = info.recentActions.at(-1)?.action;
        return action?.type === 'startWorkflow' ? action.workflow.workflowId : undefined;
      });
      expect(running).toMatch(/^threat-rescan-/);
      expect(await cli.json(['threats', 'rescan'], { env })).toMatchObject({ triggered: false, running });
      await client.workflow.getHandle(running).terminate();
    } finally {
      await client.schedule.getHandle(threatRescanScheduleId).delete();
    }
    expect(await cli.run(['threats', 'rescan'], { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining('start a worker, which creates it'),
    });
  });

  test('threats rescan reaches a Temporal service by TLS and with a key', async () => {
    const { address } = temporalForTest();
    await using gate = await createTemporalGate({ address, apiKey: 'a-key-of-the-service' });
    const caFile = join(cli.dataDir, 'ca.pem');
    writeFileSync(caFile, gate.authority.cert);
    const tls = { ...env, TEMPORAL_ADDRESS: gate.address, TEMPORAL_TLS_CA_FILE: caFile };
    expect(
      await cli.run(['threats', 'rescan'], { env: { ...tls, TEMPORAL_API_KEY: 'a-key-of-the-service' } }),
    ).toMatchObject({ code: 1, err: expect.stringContaining('start a worker, which creates it') });
    expect(await cli.run(['threats', 'rescan'], { env: tls })).toMatchObject({
      code: 1,
      err: `Temporal does not answer at ${gate.address}.\n`,
    });
  });

  // It is tried for some seconds.
  test('threats rescan reports an unreachable Temporal', { tags: 'nightly' }, async () => {
    const [port] = await freePorts(1);
    expect(await cli.run(['threats', 'rescan'], { env: { TEMPORAL_ADDRESS: `127.0.0.1:${port}` } })).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Temporal does not answer at 127.0.0.1:${port}`),
    });
  });
});
