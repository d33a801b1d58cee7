// @module-tag process
// @module-tag nightly

import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { ClickMove } from '#activities/clicks/move.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { createClickHouseIngest } from '#db/clicks/clickhouse/ingest.ts';
import { moveStatusQuery, startOfMove } from '#workflows/clicks/move-clicks.ts';
import { chdb, openClickHouse, startClickHouseServer } from '#test/support/clickhouse.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { useFixture } from '#test/support/fixture.ts';
import { startProcess } from '#test/support/product-process.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { ingestClicks, type TestClick, testClick } from '#test/support/stats.ts';

// The worker of the product moves clicks in batches of 10,000, and is killed by SIGKILL, ClickHouse too, before the move has ended.

const startMs = Date.UTC(2026, 0, 10);
const months = 4;
const month = 30 * 86_400_000;
const clicksOfMonth = 15_000;
const rounds = ['worker', 'clickhouse', 'worker', 'both'] as const;

describe.skipIf(chdb === undefined)('a move of clicks', () => {
  const db = useTestDatabase();
  const server = useFixture(startClickHouseServer);

  test('there and back, while the worker and ClickHouse are killed, leaves each click once', async () => {
    await using closing = new AsyncDisposableStack();
    const clickhouse = await openClickHouse(server.url());
    closing.defer(() => clickhouse.close());
    const temporal = temporalForTest();
    const connection = await Connection.connect({ address: temporal.address });
    closing.defer(() => connection.close());
    const client = new Client({ connection, namespace: temporal.namespace });
    const start = createStartWorkflow({ client, taskQueue: temporal.taskQueue });
    const links = await Promise.all([makeLink(), makeLink()]);

    const startWorker = () =>
      startProcess('worker', db.url, {
        CLICKHOUSE_URL: clickhouse.url,
        TEMPORAL_TASK_QUEUE: temporal.taskQueue,
        // The visits are of January.
        BOT_CLICK_RETENTION_DAYS: '0',
      });
    const clicksAt = (fromMs: number, count: number): TestClick[] =>
      Array.from({ length: count }, (_, index) =>
        testClick({
          ...links[index % links.length]!,
          clickedAtMs: fromMs + index * 100,
          ...(index % 10 === 0 && { bot: 'crawler' as const }),
        }),
      );
    const countClickHouse = async (): Promise<{ clicks: number; ids: number }> => {
      const [found] = await clickhouse.query<{ clicks: number; ids: number }>(
        `select count() as clicks, uniqExact(id) as ids from (select id from clicks union all select id from bot_clicks)`,
      );
      return found!;
    };
    const countPostgres = async (): Promise<{ clicks: number; ids: number }> => {
      const { rows } = await db.query<{ clicks: number; ids: number }>(
        `select count(*)::int as clicks, count(distinct id)::int as ids
         from (select id from clicks union all select id from bot_clicks) c`,
      );
      return rows[0]!;
    };

    /** Runs a move whose processes are killed each time that the store it fills has more clicks. @returns in how many rounds it was under way. */
    async function moveWithDeaths(
      move: ClickMove,
      { count, all }: { count: () => Promise<{ clicks: number }>; all: number },
    ): Promise<number> {
      let worker = await startWorker();
      const moving = startOfMove(move);
      await start(moving);
      const handle: WorkflowHandle = client.workflow.getHandle(moving.options.workflowId);
      let under = 0;
      let seen = (await count()).clicks;
      for (const victim of rounds) {
        const before = seen;
        seen = (await eventually(count, ({ clicks }) => clicks > before || clicks === all)).clicks;
        if (seen < all) under += 1;
        if (victim !== 'clickhouse') await worker.kill();
        if (victim !== 'worker') {
          await server.kill();
          await server.restart();
        }
        if (victim !== 'clickhouse') worker = await startWorker();
      }
      expect(await handle.result()).toMatchObject({ state: 'completed', different: [] });
      expect(await handle.query(moveStatusQuery)).toMatchObject({ state: 'completed', to: move.to });
      await worker.kill();
      return under;
    }

    for (let index = 0; index < months; index += 1)
      await ingestClicks(db, clicksAt(startMs + index * month, clicksOfMonth));
    // ClickHouse gets new clicks before the old ones come.
    const young = clicksAt(startMs + months * month, 100);
    await ingestClicks(db, young, createClickHouseIngest(clickhouse));
    const all = months * clicksOfMonth + young.length;

    const there = await moveWithDeaths({ to: 'clickhouse', removes: true }, { count: countClickHouse, all });
    expect(there).toBeGreaterThan(1);
    expect(await countClickHouse()).toEqual({ clicks: all, ids: all });
    expect(await countPostgres()).toEqual({ clicks: 0, ids: 0 });

    const back = await moveWithDeaths({ to: 'postgresql', removes: false }, { count: countPostgres, all });
    expect(back).toBeGreaterThan(1);
    expect(await countPostgres()).toEqual({ clicks: all, ids: all });
    expect(await countClickHouse()).toEqual({ clicks: all, ids: all });
  });

  async function makeLink() {
    const { id: organizationId, folderId } = await createOrganization(db);
    const { id: domainId } = await createDomain(db, organizationId);
    const { id: linkId } = await createLink(db, { organizationId, domainId, folderId });
    return { organizationId, domainId, folderId, linkId };
  }
});
