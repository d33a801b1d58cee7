import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { localDays } from '#core/stats/days.ts';
import type { ClickFilters, GroupBy } from '#core/stats/stats.ts';
import { migrateClickHouse } from '#db/clicks/clickhouse/schema.ts';
import { connectClickHouse, type ClickHouse } from '#db/connection/clickhouse.ts';
import type { Database } from '#db/connection/database.ts';
import { createClickHouseStatistics } from '#db/stats/clickhouse/statistics.ts';
import { createStatistics, type Statistics } from '#db/stats/statistics.ts';
import { loadConfig } from '#config/load.ts';
import { startClickHouse } from '#scripts/embedded/clickhouse/clickhouse.ts';
import { findChdb } from '#scripts/embedded/clickhouse/fetch.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { count, describeRatio, milliseconds, percentile, ratioOf, spreadOf } from '#bench/lib/figures.ts';
import { leaveAppCore, MissingError, useEveryCore } from '#bench/lib/machine.ts';
import type { Finding } from '#bench/lib/report.ts';
import { createClickSource, ids, tagId } from '#bench/stats/clicks.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { openFilledDatabase } from '#bench/stats/fill.ts';
import { shipLines } from '#bench/stats/ingest.ts';

const allClicks = 2_000_000;
const quickClicks = 20_000;
const largestClicks = 400_000;
// Largest share of the clicks that one organization may have.
const mostShare = 0.4;
const spanMs = 60 * 86_400_000;
const statementMs = 600_000;
const mostBytes = 60;
const leastIngest = 3;
const mostMs = 50;
const limit = 10;

interface Question {
  name: string;
  ask(statistics: Statistics): Promise<unknown>;
}

/** Measures clicks in ClickHouse beside the same clicks in PostgreSQL: A2. */
export const bench: Bench = async ({ folder, isQuick, clicks: wanted, timing, signal }) => {
  const packages = findChdb(loadConfig({ ...process.env, WAYMARK_DATA_DIR: folder }).WAYMARK_CACHE_DIR);
  if (packages === undefined) throw new MissingError('ClickHouse is not there: npm run clickhouse fetches it.');
  const clicks = wanted ?? (isQuick ? quickClicks : allClicks);
  const most = Math.floor(clicks * mostShare);
  const size = { clicks, largest: Math.min(largestClicks, most), hottest: Math.min(largestClicks, most) };
  useEveryCore();
  await using closing = new AsyncDisposableStack();
  closing.defer(leaveAppCore);
  const db = await openFilledDatabase(folder, closing);
  const [port] = await freePorts(1);
  const server = await startClickHouse({ packages, dataDir: folder, port: port!, password: 'bench', signal });
  closing.defer(async () => void (await server.stop({ hurry: true })));
  const clickhouse = connectClickHouse({ url: server.url, timeoutMs: statementMs, applicationName: 'waymark bench' });
  closing.defer(() => clickhouse.close());
  await migrateClickHouse(clickhouse);

  const source = createClickSource(size);
  const endMs = Date.now();
  const line = (click: number): string =>
    source.line(source.pick(), Math.floor(endMs - spanMs + (click / clicks) * spanMs));
  const share = Math.ceil(clicks / timing.rounds);
  const stage = { db, root: join(folder, 'journals'), signal };
  const perSecond: { postgres: number[]; clickhouse: number[] } = { postgres: [], clickhouse: [] };
  for (let from = 0; from < clicks; from += share) {
    const lines = Array.from({ length: Math.min(share, clicks - from) }, (_, index) => line(from + index));
    perSecond.postgres.push(await shipLines(stage, lines));
    perSecond.clickhouse.push(await shipLines({ ...stage, clickhouse }, lines));
    console.log(
      `  ${count(from + lines.length)} clicks: ${count(perSecond.postgres.at(-1)!)}/s, ${count(perSecond.clickhouse.at(-1)!)}/s`,
    );
  }
  await db.query('vacuum analyze');
  await clickhouse.execute('optimize table clicks final');
  const bytes = await readBytes(db, clickhouse, clicks);

  const questions = questionsAbout(endMs);
  const engines = { postgres: createStatistics(db), clickhouse: createClickHouseStatistics(clickhouse, db) };
  const mismatches: string[] = [];
  const took: Record<string, { postgres: number[]; clickhouse: number[] }> = {};
  for (let round = 0; round <= timing.rounds; round += 1) {
    for (const { name, ask } of questions) {
      signal.throwIfAborted();
      const known = (took[name] ??= { postgres: [], clickhouse: [] });
      const answers: unknown[] = [];
      for (const engine of ['postgres', 'clickhouse'] as const) {
        const startedAt = performance.now();
        answers.push(await ask(engines[engine]));
        if (round > 0) known[engine].push(performance.now() - startedAt);
      }
      if (round === 0 && !isDeepStrictEqual(answers[0], answers[1])) mismatches.push(`${name}: the answers differ`);
    }
  }
  for (const [name, { postgres: slow, clickhouse: fast }] of Object.entries(took))
    console.log(`  ${name.padEnd(28)} ${milliseconds(spreadOf(slow).median)}, ${milliseconds(spreadOf(fast).median)}`);
  const all = (engine: 'postgres' | 'clickhouse'): number =>
    percentile(
      Object.values(took).flatMap((one) => one[engine]),
      0.95,
    );
  const shipped = spreadOf(perSecond.clickhouse);
  const findings: Finding[] = [
    {
      id: 'A2',
      what: `journal to ClickHouse, ${count(clicks)} clicks, beside PostgreSQL`,
      figure: `${count(shipped.median)}/s`,
      baseline: `${count(spreadOf(perSecond.postgres).median)}/s`,
      ratio: describeRatio(ratioOf(perSecond.clickhouse, perSecond.postgres)),
      goal: `≥ ${leastIngest}`,
      isMet: ratioOf(perSecond.clickhouse, perSecond.postgres).median >= leastIngest,
    },
    {
      id: 'A2',
      what: 'bytes a click on disk, indexes included',
      figure: bytes.clickhouse.toFixed(0),
      baseline: bytes.postgres.toFixed(0),
      ratio: (bytes.clickhouse / bytes.postgres).toFixed(2),
      goal: `≤ ${mostBytes}`,
      isMet: bytes.clickhouse <= mostBytes,
    },
    {
      id: 'A2',
      what: `filtered statistics of ${count(size.largest)} clicks, p95`,
      figure: milliseconds(all('clickhouse')),
      baseline: milliseconds(all('postgres')),
      ratio: (all('clickhouse') / all('postgres')).toFixed(2),
      goal: `≤ ${milliseconds(mostMs)}`,
      isMet: all('clickhouse') <= mostMs,
    },
  ];
  return { findings, noisy: [], mismatches };
};

/** Every statistic of the largest organization, under filters that no counts answer. */
function questionsAbout(endMs: number): Question[] {
  const none: ClickFilters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };
  const filters: Record<string, ClickFilters> = {
    domain: { ...none, domainIds: [ids.domain(0)] },
    tag: { ...none, tagIds: [tagId] },
    country: { ...none, values: { country: ['US', 'DE', 'unknown'] } },
  };
  const range = { startMs: endMs - spanMs, endMs };
  const points = localDays(range, 'America/New_York');
  const groupBys: GroupBy[] = ['city', 'country', 'destination', 'shortLinks', 'uniqueVisitors'];
  return Object.entries(filters).flatMap(([name, filter]) => {
    const query = { organizationId: ids.organization(0), range, filters: filter };
    return [
      ...groupBys.map((groupBy) => ({
        name: `${name}: ${groupBy}`,
        ask: (statistics: Statistics) => statistics.readBreakdown({ ...query, groupBy, limit, nowMs: endMs }),
      })),
      { name: `${name}: timeline`, ask: (statistics: Statistics) => statistics.readTimeline(query, points) },
      {
        name: `${name}: report`,
        ask: async (statistics: Statistics) => {
          const period = { range, points };
          return (await statistics.readReport({ ...query, groupBys, limit, nowMs: endMs }, period, undefined)).present
            .points;
        },
      },
      { name: `${name}: list`, ask: (statistics: Statistics) => statistics.listClicks({ ...query, limit: 100 }) },
    ];
  });
}

async function readBytes(
  db: Database,
  clickhouse: ClickHouse,
  clicks: number,
): Promise<{ postgres: number; clickhouse: number }> {
  const { rows } = await db.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('clicks') where isleaf`,
  );
  const parts = await clickhouse.query<{ column: string; bytes: number }>(
    `select column, sum(column_bytes_on_disk) as bytes from system.parts_columns
     where database = currentDatabase() and table = 'clicks' and active group by column order by bytes desc`,
  );
  console.log(
    `  bytes a click: ${parts.map(({ column, bytes }) => `${column} ${(bytes / clicks).toFixed(1)}`).join(', ')}`,
  );
  const [disk] = await clickhouse.query<{ bytes: number }>(
    `select sum(bytes_on_disk) as bytes from system.parts where database = currentDatabase() and table = 'clicks' and active`,
  );
  return { postgres: rows[0]!.bytes / clicks, clickhouse: disk!.bytes / clicks };
}
