// @module-tag process

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { StartError } from '#scripts/embedded/start-error.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { acquireLock } from '#scripts/lib/lock.mjs';
import { createStack } from '#scripts/supervisor/stack.ts';
import { eventually } from '#test/support/eventually.ts';
import { createHome } from '#test/support/npm-start.ts';

afterEach(() => void vi.unstubAllEnvs());

test('an impossible data folder is named in an error without a stack trace', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-stack-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const stack = createStack(loadConfig({ WAYMARK_DATA_DIR: file }), () => undefined);
  const error: unknown = await stack.start().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartError);
  expect((error as StartError).message).toMatch(`WAYMARK_DATA_DIR: ${file} cannot be used: EEXIST`);
  await stack.stop();
  rmSync(folder, { recursive: true });
});

test('a data folder that no file system lets be made is named in an error', async () => {
  const stack = createStack(loadConfig({ WAYMARK_DATA_DIR: '/proc/nope/data' }), () => undefined);
  await expect(stack.start()).rejects.toThrow('WAYMARK_DATA_DIR: /proc/nope/data cannot be used: ENOENT');
  await stack.stop();
});

test(
  'the deadline of the children begins when Temporal runs, however long its installation takes',
  { tags: 'nightly' },
  async () => {
    await using home = await createHome();
    const { TEMPORAL_CLI, WAYMARK_CACHE_DIR } = process.env;
    const own = loadConfig({ TEMPORAL_CLI, WAYMARK_CACHE_DIR });
    const binary = await findTemporalBinary({ cli: own.TEMPORAL_CLI, cacheDir: own.WAYMARK_CACHE_DIR });
    // Vitest sets it, and the children inherit it.
    vi.stubEnv('BASE_URL', '');
    const cacheDir = join(home.dataDir, 'cache');
    // Stands for another process that installs Temporal.
    const lock = acquireLock(join(cacheDir, 'temporal.lock'));
    // A PATH without temporal.
    vi.stubEnv('PATH', '/usr/bin:/bin:/usr/sbin:/sbin');
    const ports = Object.entries(home.ports).map(([name, port]) => [name, String(port)] as const);
    for (const [name, port] of ports) vi.stubEnv(name, port);
    const folders = { WAYMARK_DATA_DIR: home.dataDir, WAYMARK_CACHE_DIR: cacheDir };
    const config = loadConfig({ ...Object.fromEntries(ports), ...folders });
    const lines: string[] = [];
    const stack = createStack(config, (line) => lines.push(line), { childrenDeadlineMs: 1 });
    let outcome: unknown;
    void stack.start().then(
      () => (outcome = 'started'),
      (error: unknown) => (outcome = error),
    );
    await eventually(
      () => ({ outcome, text: lines.join('\n') }),
      (seen) => seen.outcome !== undefined || /demo organization/.test(seen.text),
    );
    // A fixed sleep: longer than the deadline, had it begun too early.
    await sleep(500);
    expect(outcome).toBeUndefined();
    expect(lines.join('\n')).toMatch(/Temporal: process \d+ is installing it; waiting/);
    mkdirSync(join(cacheDir, 'temporal-9.9.9'));
    symlinkSync(binary.path, join(cacheDir, 'temporal-9.9.9', 'temporal'));
    lock.release?.();
    await eventually(
      () => outcome,
      (value) => value !== undefined,
    );
    expect((outcome as Error).message).toBe('API, edge and worker do not all serve after 0.001 s.');
    await stack.stop();
  },
);
