// @module-tag process

import { describe, expect, test } from 'vitest';
import { commandLine } from '#scripts/lib/lock.mjs';
import { chdb } from '#test/support/clickhouse.ts';
import { browser } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { createHome, npmStart } from '#test/support/npm-start.ts';
import { descendants } from '#test/support/process-tree.ts';

describe.skipIf(chdb === undefined)('CLICKHOUSE=embedded npm start', () => {
  test(
    'it runs ClickHouse, from which statistics come, and starts it again when it dies',
    { tags: 'nightly' },
    async () => {
      await using home = await createHome();
      const [port] = await freePorts(1);
      await using run = npmStart(home, { CLICKHOUSE: 'embedded', CLICKHOUSE_PORT: String(port) });
      await run.line(/ClickHouse on port/);
      await run.line(/^ready$/);
      const call = async (path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> => {
        const response = await fetch(`${run.row('API')}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'x-api-key': run.row('API key'), 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: (await response.json()) as Record<string, unknown> };
      };
      const visit = async (): Promise<void> => {
        const answer = await fetch(`${run.row('Edge')}/there`, {
          headers: { 'user-agent': browser },
          redirect: 'manual',
        });
        expect(answer.status).toBe(302);
      };
      const destination = { type: 'link', value: 'https://example.com/' };
      expect((await call('/short-link', { slug: 'there', destination })).status).toBe(201);
      for (let visits = 0; visits < 3; visits += 1) await visit();
      const total = () => call('/stats/overview?groupBy=browser');
      await eventually(total, ({ body }) => body.totalClicks === 3);
      const isEngine = (pid: number): boolean => commandLine(pid).includes('embedded/clickhouse/server.ts');
      process.kill(descendants(run.supervisor()).find(isEngine)!, 'SIGKILL');
      await visit();
      await run.line(/clickhouse is back/);
      await eventually(total, ({ status, body }) => status === 200 && body.totalClicks === 4);
      process.kill(run.supervisor(), 'SIGTERM');
      expect(await run.exited).toBe(0);
    },
  );
});
