// @module-tag process
// @module-tag nightly

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { chdb, openClickHouse, startClickHouseServer } from '#test/support/clickhouse.ts';
import { createTestEdge, visitEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { useFixture } from '#test/support/fixture.ts';

const visitsPerStep = 40;
const visitorsAtOnce = 8;

describe.skipIf(chdb === undefined)('an edge whose clicks ClickHouse has', () => {
  const server = useFixture(startClickHouseServer);

  interface Outcome {
    visits: number;
    /** Clicks in both databases, and what PostgreSQL counted. */
    found: { clicks: number; ids: number; elsewhere: number; ingested: number; rejected: number };
  }

  /** Kills ClickHouse in rounds, in the midst of visits, and leaves it away for a while of each. */
  async function survive(rounds: number): Promise<Outcome> {
    await using clickhouse = await openClickHouse(server.url()).then((opened) => ({
      ...opened,
      [Symbol.asyncDispose]: () => opened.close(),
    }));
    await using edge = await createTestEdge({ clickhouse });
    const link = await edge.link({ maxClicks: 1_000_000 });
    let visits = 0;
    const visit = async (): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: visitsPerStep }, () => edge.visit(`/${link.slug}`)));
      visits += visitsPerStep;
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 302));
    };
    const counted = async (): Promise<number> =>
      (await edge.db.query<{ clicks: number }>('select clicks from link_counters where link_id = $1', [link.id]))
        .rows[0]?.clicks ?? 0;
    const readyz = async (): Promise<{ status: string; degraded: string[] }> =>
      JSON.parse((await edge.visit('/.well-known/waymark/readyz')).body) as { status: string; degraded: string[] };
    for (let round = 0; round < rounds; round += 1) {
      await visit();
      // Some rounds kill it between the batches, and some within one.
      if (round % 2 === 0) await eventually(counted, (clicks) => clicks === visits);
      const killed = server.kill();
      await visit();
      await killed;
      await visit();
      const body = await eventually(readyz, ({ degraded }) => degraded.includes('clickhouse'));
      // Visitors notice nothing.
      expect(body.status).toBe('degraded');
      await server.restart();
      await eventually(counted, (clicks) => clicks === visits);
      await eventually(readyz, ({ degraded }) => !degraded.includes('clickhouse'));
    }
    const [stored] = await clickhouse.query<{ clicks: number; ids: number }>(
      'select count() as clicks, uniqExact(id) as ids from clicks where link_id = {id:UUID}',
      { id: link.id },
    );
    const { rows } = await edge.db.query<{ elsewhere: number; ingested: number; rejected: number }>(
      `select (select count(*) from clicks) as elsewhere, (select sum(ingested)::int from journals) as ingested,
        (select sum(rejected)::int from journals) as rejected`,
    );
    return { visits, found: { ...stored!, ...rows[0]! } };
  }

  /** Kills an edge in rounds, under load, and ClickHouse with it in every other round. */
  async function survivePair(rounds: number): Promise<{ redirects: number; clicks: number; found: object }> {
    await using clickhouse = await openClickHouse(server.url()).then((opened) => ({
      ...opened,
      [Symbol.asyncDispose]: () => opened.close(),
    }));
    // It adopts the journals of killed edges.
    await using edge = await createTestEdge({ clickhouse });
    const { id, slug } = await edge.link();
    let redirects = 0;
    for (let round = 0; round < rounds; round += 1) {
      const child = spawn(process.execPath, ['test/support/edge-process.ts'], {
        env: {
          ...process.env,
          DATABASE_URL: edge.databaseUrl,
          CLICKHOUSE_URL: clickhouse.url,
          WAYMARK_DATA_DIR: edge.dataDir,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
      const death = new AbortController();
      const wanted = redirects + 300;
      const visitors = Array.from({ length: visitorsAtOnce }, async () => {
        while (!death.signal.aborted) {
          const answer = await visitEdge(address, `/${slug}`, { host: edge.domain.domain }).catch(() => null);
          if (answer?.status === 302) redirects += 1;
        }
      });
      await eventually(() => redirects >= wanted);
      const killed = round % 2 === 0 ? server.kill() : undefined;
      child.kill('SIGKILL');
      await once(child, 'exit');
      death.abort();
      await Promise.all(visitors);
      await killed;
      if (killed !== undefined) await server.restart();
    }
    const count = async () =>
      (
        await edge.db.query<{ counted: number; isDone: boolean }>(
          `select coalesce((select clicks from link_counters where link_id = $1), 0) as counted,
            (select count(*) filter (where finished_at is null) <= 1 from journals) as "isDone"`,
          [id],
        )
      ).rows[0]!;
    const { counted } = await eventually(count, ({ counted, isDone }) => isDone && counted >= redirects);
    const [found] = await clickhouse.query<object>(
      'select count() as clicks, uniqExact(id) as ids from clicks where link_id = {id:UUID}',
      { id },
    );
    return { redirects, clicks: counted, found: found! };
  }

  const everything = (visits: number) => ({ clicks: visits, ids: visits, elsewhere: 0, ingested: visits, rejected: 0 });

  test('it goes on while ClickHouse is killed and away, and no click is lost or there twice', async () => {
    const { visits, found } = await survive(3);
    expect(found).toEqual(everything(visits));
  });

  test('it goes on through twenty rounds', { tags: 'nightly' }, async () => {
    const { visits, found } = await survive(20);
    expect(found).toEqual(everything(visits));
  });

  test('edges that are killed with it, or alone, lose no acknowledged click and count none twice (5.9)', async () => {
    const { redirects, clicks, found } = await survivePair(3);
    expect(found).toEqual({ clicks, ids: clicks });
    // At most one click of each visitor was written without its answer having come through.
    expect(clicks - redirects).toBeLessThanOrEqual(3 * visitorsAtOnce);
  });

  test('so do those of twenty rounds', { tags: 'nightly' }, async () => {
    const { redirects, clicks, found } = await survivePair(20);
    expect(found).toEqual({ clicks, ids: clicks });
    expect(clicks - redirects).toBeLessThanOrEqual(20 * visitorsAtOnce);
  });
});
