// @module-tag process

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { createTestEdge, type EdgeAnswer, type TestEdge, visitEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { hasCommand } from '#test/support/commands.ts';

const maxBytes = 50_000;

const counted = async (edge: TestEdge, linkId: string): Promise<number> =>
  (await edge.db.query<{ clicks: number }>('select clicks from link_counters where link_id = $1', [linkId])).rows[0]
    ?.clicks ?? 0;

/** Bytes of all segments of a data folder. */
function journalBytes(dataDir: string): number {
  const files = readdirSync(join(dataDir, 'journal'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.tsv'))
    .reduce((sum, name) => sum + statSync(join(dataDir, 'journal', name)).size, 0);
}

function expectRefusal({ status, headers }: EdgeAnswer): void {
  expect(status).toBe(503);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
}

test('at JOURNAL_MAX_BYTES visits that count get 503 until there is room, other visits are served, and no click is lost', async () => {
  await using edge = await createTestEdge({ journalMaxBytes: maxBytes });
  const { id, slug } = await edge.link();
  const shipping = await edge.db.pool.connect();
  await shipping.query('begin; lock table journals in access exclusive mode');
  let redirects = 0;
  let last: EdgeAnswer;
  do {
    last = await edge.visit(`/${slug}`);
    if (last.status === 302) redirects += 1;
  } while (last.status === 302 && redirects < 1_000);
  expectRefusal(last);
  expect(redirects).toBeGreaterThan(50);
  expect(journalBytes(edge.dataDir)).toBeLessThanOrEqual(maxBytes);
  expect(edge.edge.degraded()).toContain('journal: clicks cannot be written');
  expect((await edge.visit(`/${slug}`, { method: 'HEAD' })).status).toBe(302);
  expect((await edge.visit(`/${slug}`, { headers: { 'user-agent': 'Googlebot/2.1' } })).status).toBe(302);
  await shipping.query('rollback');
  shipping.release();
  await eventually(
    () => edge.visit(`/${slug}`),
    ({ status }) => status === 302,
  );
  redirects += 1;
  expect(edge.edge.degraded()).not.toContain('journal: clicks cannot be written');
  await eventually(
    () => counted(edge, id),
    (clicks) => clicks >= redirects,
  );
  expect(await counted(edge, id)).toBe(redirects);
});

// Lifts the limit of a process that runs; not every system has it.
const lifter = 'prlimit';

describe.skipIf(!hasCommand(lifter))('a disk that is full from the start', () => {
  /** Starts an edge that can write nothing to files. */
  async function startWithoutRoom(edge: TestEdge): Promise<{ child: ChildProcess; address: string }> {
    const script = 'ulimit -S -f 0; exec "$0" "$@"';
    const child = spawn('/bin/sh', ['-c', script, process.execPath, 'test/support/edge-process.ts'], {
      env: { ...process.env, DATABASE_URL: edge.databaseUrl, WAYMARK_DATA_DIR: join(edge.dataDir, 'other') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, address };
  }

  test(
    'the edge serves visits that do not count, refuses clicks, and accepts clicks once there is room',
    { tags: 'nightly' },
    async () => {
      await using edge = await createTestEdge();
      const { id, slug } = await edge.link();
      const { child, address } = await startWithoutRoom(edge);
      const visit = (method = 'GET'): Promise<EdgeAnswer> =>
        visitEdge(address, `/${slug}`, { host: edge.domain.domain, method });
      expectRefusal(await visit());
      expect((await visit('HEAD')).status).toBe(302);
      expect(spawnSync(lifter, ['--pid', String(child.pid), '--fsize=unlimited:']).status).toBe(0);
      for (let index = 0; index < 5; index += 1) expect((await visit()).status).toBe(302);
      await eventually(
        () => counted(edge, id),
        (clicks) => clicks === 5,
      );
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(readdirSync(join(edge.dataDir, 'other', 'journal'))).toEqual([]);
    },
  );

  test('an edge that ends on a full disk leaves nothing behind', { tags: 'nightly' }, async () => {
    await using edge = await createTestEdge();
    const { child, address } = await startWithoutRoom(edge);
    expect((await visitEdge(address, '/', { host: edge.domain.domain })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(readdirSync(join(edge.dataDir, 'other', 'journal'))).toEqual([]);
  });
});
