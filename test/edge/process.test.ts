// @module-tag process

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestEdge, visitEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { isNight } from '#test/support/night.ts';

let root: string;

const edge = useTestEdge();
beforeAll(async () => {
  root = join(edge.dataDir, 'journal');
});

const counted = async (linkId: string): Promise<number> =>
  (await edge.db.query<{ clicks: number }>('select clicks from link_counters where link_id = $1', [linkId])).rows[0]
    ?.clicks ?? 0;

describe('a process of its own', () => {
  const start = async (): Promise<{ child: ChildProcess; address: string }> => {
    const child = spawn(process.execPath, ['test/support/edge-process.ts'], {
      env: { ...process.env, DATABASE_URL: edge.databaseUrl, WAYMARK_DATA_DIR: edge.dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, address };
  };

  test(
    'killed under load, it loses no acknowledged click and counts none twice (4.14)',
    { tags: 'nightly' },
    async () => {
      const { id, slug } = await edge.link();
      const { child, address } = await start();
      let redirects = 0;
      const death = new AbortController();
      const visitors = Array.from({ length: 16 }, async () => {
        while (!death.signal.aborted) {
          const answer = await visitEdge(address, `/${slug}`, { host: edge.domain.domain }).catch(() => null);
          if (answer?.status === 302) redirects += 1;
        }
      });
      await eventually(
        () => redirects,
        (count) => count > (isNight ? 1_500 : 400),
      );
      child.kill('SIGKILL');
      await once(child, 'exit');
      death.abort();
      await Promise.all(visitors);
      // At most one click of each visitor was written without its answer having come through.
      const clicks = await eventually(
        () => counted(id),
        (count) => count >= redirects,
      );
      await setTimeout(300);
      expect(await counted(id)).toBe(clicks);
      expect(clicks - redirects).toBeLessThanOrEqual(16);
      const { rows } = await edge.db.query(
        'select count(*) as n, count(distinct id) as ids from clicks where link_id = $1',
        [id],
      );
      expect(rows).toEqual([{ n: clicks, ids: clicks }]);
    },
  );

  test('stopped in order, it ships every click and leaves no journal', { tags: 'nightly' }, async () => {
    const { id, slug } = await edge.link();
    const before = readdirSync(root).length;
    const { child, address } = await start();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => visitEdge(address, `/${slug}`, { host: edge.domain.domain })),
    );
    expect(answers.every(({ status }) => status === 302)).toBe(true);
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(await counted(id)).toBe(200);
    expect(readdirSync(root)).toHaveLength(before);
  });
});
