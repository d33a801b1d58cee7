// @module-tag process
// @module-tag nightly

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countRejected } from '#edge/journal/segments.ts';
import { createTestEdge, type TestEdge, visitEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { hasCommand } from '#test/support/commands.ts';

// A limit on the size of files stands for a disk without space: a write goes as far as it can, and the next one fails.

const limitBlocks = 64;
let edge: TestEdge;

beforeAll(async () => {
  // Ships what a killed process leaves behind, too.
  edge = await createTestEdge();
});
afterAll(() => edge[Symbol.asyncDispose]());

/** Starts an edge whose files can grow to some tens of KiB only. */
async function startCramped(): Promise<{ child: ChildProcess; address: string }> {
  const script = `ulimit -S -f ${limitBlocks}; exec "$0" "$@"`;
  const child = spawn('/bin/sh', ['-c', script, process.execPath, 'test/support/edge-process.ts'], {
    env: { ...process.env, DATABASE_URL: edge.databaseUrl, WAYMARK_DATA_DIR: edge.dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, address };
}

// Lifts the limit of a process that runs; not every system has it.
const lifter = 'prlimit';
const canLift = hasCommand(lifter);
const clicks = async (linkId: string): Promise<{ stored: number; distinct: number; counted: number }> => {
  const { rows } = await edge.db.query<{ stored: number; distinct: number; counted: number }>(
    `select count(*) as stored, count(distinct id) as "distinct",
       coalesce((select clicks from link_counters where link_id = $1), 0) as counted
     from clicks where link_id = $1`,
    [linkId],
  );
  return rows[0]!;
};

test('a full disk: no redirect without its click, 503 instead, and all is well again with space', async () => {
  const { id, slug } = await edge.link();
  const { child, address } = await startCramped();
  let redirects = 0;
  let refusals = 0;
  const visit = async (): Promise<void> => {
    const { status, headers } = await visitEdge(address, `/${slug}`, { host: edge.domain.domain });
    if (status === 302) redirects += 1;
    else {
      expect(status).toBe(503);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      refusals += 1;
    }
  };
  const visitTogether = (count: number) => Promise.all(Array.from({ length: count }, visit));
  const isFull = async (): Promise<{ status: number; body: string }> => {
    await visitTogether(25);
    return visitEdge(address, '/.well-known/waymark/readyz', { host: 'any' });
  };
  // A small write may still fit after a larger one failed.
  const ready = await eventually(isFull, ({ status }) => refusals >= 50 && status === 503);
  expect(redirects).toBeGreaterThan(25);
  expect(JSON.parse(ready.body)).toMatchObject({
    status: 'unavailable',
    degraded: expect.arrayContaining(['journal: clicks cannot be written']),
  });
  const all = { stored: redirects, distinct: redirects, counted: redirects };
  expect(
    await eventually(
      () => clicks(id),
      ({ counted }) => counted >= redirects,
    ),
  ).toEqual(all);

  if (canLift) {
    expect(spawnSync(lifter, ['--pid', String(child.pid), '--fsize=unlimited:']).status).toBe(0);
    const before = { redirects, refusals };
    await visitTogether(200);
    expect({ redirects, refusals }).toEqual({ redirects: before.redirects + 200, refusals: before.refusals });
  }
  // The records that it had written are whole for the next process.
  child.kill('SIGKILL');
  await once(child, 'exit');
  const end = { stored: redirects, distinct: redirects, counted: redirects };
  expect(
    await eventually(
      () => clicks(id),
      ({ counted }) => counted >= redirects,
    ),
  ).toEqual(end);
  expect(await countRejected(`${edge.dataDir}/journal`)).toBe(0);
});
