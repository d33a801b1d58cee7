// @module-tag process

import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { searchAttributes } from '#core/temporal/search-attributes.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal, stopOrphanTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { processMark } from '#scripts/lib/lock.mjs';
import { freePorts } from '#test/support/free-ports.ts';

let dataDir: string;
let binary: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'waymark-temporal-'));
  const { TEMPORAL_CLI, WAYMARK_CACHE_DIR } = process.env;
  const config = loadConfig({ TEMPORAL_CLI, WAYMARK_CACHE_DIR });
  binary = (await findTemporalBinary({ cli: config.TEMPORAL_CLI, cacheDir: config.WAYMARK_CACHE_DIR })).path;
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** A server that, at its first start, has lost one of its ports to another process. */
function losesPortOnce(): string {
  const script = join(dataDir, 'binary');
  const failing = `echo 'listen tcp 127.0.0.1:1: bind: address already in use' >&2; exit 1`;
  const lines = [`if mkdir '${dataDir}/begun' 2>/dev/null; then ${failing}; fi`, `exec '${binary}' "$@"`];
  writeFileSync(script, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(script, 0o755);
  return script;
}

test(
  'a server that lost a port is started again, has the namespace, the search attributes and a UI, and keeps its state through a kill',
  { tags: 'nightly' },
  async () => {
    const [port, uiPort] = await freePorts(2);
    const first = await startTemporal({ binary: losesPortOnce(), dataDir, port: port!, uiPort, namespace: 'links' });
    const connection = await Connection.connect({ address: first.address });
    const client = new Client({ connection, namespace: 'links' });
    await client.workflow.start('anything', { taskQueue: 'nobody', workflowId: 'kept' });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'links' });
    expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining(Object.keys(searchAttributes)));
    expect((await fetch(`http://127.0.0.1:${uiPort}/namespaces/links/workflows`)).status).toBe(200);
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });

    const again = await startTemporal({ binary, dataDir, port: port!, namespace: 'links' });
    expect((await client.workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
    await connection.close();
    expect(await again.stop()).toEqual({ code: 0, signal: null });
  },
);

test('a server that a killed supervisor left behind is stopped', { tags: 'nightly' }, async () => {
  const [port] = await freePorts(1);
  const script = fileURLToPath(new URL('../../fixtures/abandon-servers.ts', import.meta.url));
  const pid = await new Promise<number>((resolve) => {
    execFile(process.execPath, [script, dataDir, String(port), binary], (_error, stdout) => resolve(Number(stdout)));
  });
  expect(processMark(pid)).toBeDefined();
  expect(await stopOrphanTemporal(dataDir)).toBe(true);
  expect(processMark(pid)).toBeUndefined();
  expect(await stopOrphanTemporal(dataDir)).toBe(false);
});

test('a server that does not start reports the reason', async () => {
  const [port] = await freePorts(1);
  const script = fileURLToPath(new URL('../../fixtures/child.ts', import.meta.url));
  await expect(startTemporal({ binary: script, dataDir, port: port! })).rejects.toThrow('did not start');
});
