// @module-tag process

import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { recordHistory } from '#test/support/histories.ts';
import { startWebhookStack, type WebhookStack } from '#test/support/webhook-stack.ts';
import { createWebhookViews } from '#test/support/webhook-views.ts';

// A Temporal server that suggests to continue as new after so many events; by default it does after thousands.
const eventsPerRun = 40;

const closing = new AsyncDisposableStack();
let stack: WebhookStack;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-continue-'));
  closing.defer(() => rm(folder, { recursive: true, force: true }));
  const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = process.env;
  const config = loadConfig({ TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir });
  const found = await findTemporalBinary({ cli: config.TEMPORAL_CLI, cacheDir: config.WAYMARK_CACHE_DIR });
  const binary = join(folder, 'temporal.sh');
  const setting = `limit.historyCount.suggestContinueAsNew=${eventsPerRun}`;
  await writeFile(binary, `#!/bin/sh\nexec "${found.path}" "$@" --dynamic-config-value ${setting}\n`);
  await chmod(binary, 0o700);
  const [port] = await freePorts(1);
  const server = await startTemporal({ binary, dataDir: folder, inMemory: true, port: port! });
  closing.defer(async () => void (await server.stop({ hurry: true })));
  const temporal = { address: server.address, namespace: 'default', taskQueue: `test-${randomUUID()}` };
  stack = closing.use(await startWebhookStack({ temporal, lingerMs: 0 }));
});
afterAll(() => closing.disposeAsync());

async function runsOf(webhookId: string): Promise<WorkflowExecutionInfo[]> {
  const runs: WorkflowExecutionInfo[] = [];
  for await (const run of stack.client.workflow.list({ query: `WorkflowId = "webhook/${webhookId}"` })) runs.push(run);
  return runs;
}

test(
  'an actor with a long history continues as new, keeps its counts, and misses nothing meanwhile',
  { timeout: 90_000 },
  async () => {
    const views = createWebhookViews(stack);
    const endpoint = await stack.endpoint();
    const { id, organizationId } = await views.lone(endpoint.url);
    const ids: string[] = [];
    for (let round = 1; round <= 30; round += 1) {
      ids.push(...(await stack.emit(3, organizationId)));
      // Every other time it is woken while it is at work.
      if (round % 2 === 0) await views.settled(id, ids.length);
    }
    await views.settled(id, ids.length);
    expect(endpoint.received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.toSorted());
    const status = await views.inState(id, 'idle');
    expect(status).toMatchObject({ delivered: ids.length, failed: 0, waiting: 0 });

    const runs = await eventually(
      () => runsOf(id),
      (all) => all.length >= 3 && all.filter(({ status: { name } }) => name === 'RUNNING').length === 1,
    );
    const ended = runs.filter(({ status: { name } }) => name === 'CONTINUED_AS_NEW');
    expect(ended).toHaveLength(runs.length - 1);
    for (const { historyLength } of ended) expect(historyLength).toBeLessThan(2 * eventsPerRun);
    const oldest = ended.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime())[1]!;
    await recordHistory('webhook-continue-as-new', stack.client.workflow.getHandle(`webhook/${id}`, oldest.runId));
  },
);
