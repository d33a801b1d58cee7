import { createEntityManager } from '#db/connection/orm.ts';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { migrateClickHouse } from '#db/clicks/clickhouse/schema.ts';
import { type ClickHouse, connectClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { createClickHouseStatistics } from '#db/stats/clickhouse/statistics.ts';
import { createStatistics, type Statistics } from '#db/stats/statistics.ts';
import { loadConfig } from '#config/load.ts';
import { startClickHouse } from '#scripts/embedded/clickhouse/clickhouse.ts';
import { findChdb } from '#scripts/embedded/clickhouse/fetch.ts';
import { freePorts } from '#test/support/free-ports.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { count, describeRatio, milliseconds, percentile, ratioOf, spreadOf } from '#bench/lib/figures.ts';
import type { Report } from '#bench/lib/report.ts';
import { makeClickLines } from '#bench/lib/fill.ts';
import { leaveAppCore, MissingError, useEveryCore } from '#bench/lib/machine.ts';
import { measureLag, shipLines } from './ingest.ts';
import { openLinks, populationOf } from './population.ts';
import { filteredQuestions } from './questions.ts';

const allClicks = 2_000_000;
const quickClicks = 20_000;
// One organization has this share of the clicks.
const largestShare = 0.2;
const allNeighbours = 98_000_000;
const quickNeighbours = 100_000;
// Lines of a batch are one text.
const mostAtOnce = 500_000;
const statementMs = 600_000;
const mostBytes = 60;
const leastIngest = 1;
const leastPerCore = 1;
const mostMs = 200;
// Of single questions to an organization with at most so many clicks.
const fewClicks = 400_000;
const mostOfFewMs = 50;
const mostBeside = 1.3;
const mergeEveryMs = 1_000;

interface Both {
  postgres: number[];
  clickhouse: number[];
}

/** Measures clicks in ClickHouse beside the same clicks in PostgreSQL: A2. */
export const bench: Bench = async ({ folder, isQuick, clicks: wanted, timing, signal }, report) => {
  const packages = findChdb(loadConfig({ ...process.env, WAYMARK_DATA_DIR: folder }).WAYMARK_CACHE_DIR);
  if (packages === undefined) throw new MissingError('ClickHouse is not there: npm run clickhouse fetches it.');
  const clicks = wanted ?? (isQuick ? quickClicks : allClicks);
  useEveryCore();
  await using closing = new AsyncDisposableStack();
  closing.defer(leaveAppCore);
  const db = await openLinks(join(folder, 'data'), closing);
  const [port] = await freePorts(1);
  const server = await startClickHouse({ packages, dataDir: folder, port: port!, password: 'bench', signal });
  closing.defer(async () => void (await server.stop({ hurry: true })));
  const clickhouse = connectClickHouse({ url: server.url, timeoutMs: statementMs, applicationName: 'waymark bench' });
  closing.defer(() => clickhouse.close());
  await migrateClickHouse(clickhouse);

  const population = populationOf(clicks, Date.now(), clicks * largestShare);
  const share = Math.min(Math.ceil(clicks / timing.rounds), mostAtOnce);
  const stage = { db, root: join(folder, 'journals'), signal };
  const rates: Both = { postgres: [], clickhouse: [] };
  // Clicks a second of a core that works.
  const perCore: Both = { postgres: [], clickhouse: [] };
  const measure = async (store: keyof Both, lines: readonly string[]): Promise<void> => {
    const busyMs = readBusyMs();
    rates[store].push(await shipLines(store === 'clickhouse' ? { ...stage, clickhouse } : stage, lines));
    perCore[store].push((lines.length / (readBusyMs() - busyMs)) * 1_000);
  };
  for (let from = 0; from < clicks; from += share) {
    const lines = await makeClickLines(db, population, from, Math.min(from + share, clicks));
    await measure('postgres', lines);
    await measure('clickhouse', lines);
    const [ofPostgres, ofClickHouse] = [rates.postgres, rates.clickhouse].map((all) => count(all.at(-1)!));
    const [corePostgres, coreClickHouse] = [perCore.postgres, perCore.clickhouse].map((all) => count(all.at(-1)!));
    console.log(`  ${ofPostgres}/s, ${ofClickHouse}/s; a core ${corePostgres}/s, ${coreClickHouse}/s`);
  }
  await db.query('vacuum analyze');
  await clickhouse.execute('optimize table clicks final');
  const { rows } = await db.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('clicks') where isleaf`,
  );
  const [disk] = await clickhouse.query<{ bytes: number }>(
    `select sum(bytes_on_disk) as bytes from system.parts where database = currentDatabase() and table = 'clicks' and active`,
  );
  const bytes = { postgres: rows[0]!.bytes / clicks, clickhouse: disk!.bytes / clicks };

  const engines = {
    postgres: createStatistics(db),
    clickhouse: createClickHouseStatistics(clickhouse, createEntityManager(db)),
  };
  const asked = { engines, questions: filteredQuestions(population), rounds: timing.rounds, signal };
  const alone = await measureAnswers(asked, report);
  const neighbours = isQuick ? quickNeighbours : allNeighbours;
  await addNeighbours(clickhouse, neighbours, signal);
  const crowded = await measureAnswers(asked, report);
  const ingest = ratioOf(rates.clickhouse, rates.postgres);
  report.add({
    id: 'A2',
    what: `journal to ClickHouse, ${count(clicks)} clicks, beside PostgreSQL`,
    figure: `${count(spreadOf(rates.clickhouse).median)}/s`,
    beside: `${count(spreadOf(rates.postgres).median)}/s`,
    ratio: describeRatio(ingest),
    goal: `≥ ${leastIngest}`,
    isMet: ingest.median >= leastIngest,
  });
  const cores = ratioOf(perCore.clickhouse, perCore.postgres);
  report.add({
    id: 'A2',
    what: 'the same for each core that works, the shipper included',
    figure: `${count(spreadOf(perCore.clickhouse).median)}/s`,
    beside: `${count(spreadOf(perCore.postgres).median)}/s`,
    ratio: describeRatio(cores),
    goal: `≥ ${leastPerCore}`,
    isMet: cores.median >= leastPerCore,
  });
  report.add({
    id: 'A2',
    what: 'bytes a click on disk, indexes included',
    figure: bytes.clickhouse.toFixed(0),
    beside: bytes.postgres.toFixed(0),
    goal: `≤ ${mostBytes}`,
    isMet: bytes.clickhouse <= mostBytes,
  });
  const what = `filtered statistics of ${count(population.largest)} clicks`;
  const addP95 = (what: string, { postgres, clickhouse }: Both, mostMs: number): void =>
    report.p95({
      id: 'A2',
      what,
      times: clickhouse,
      mostMs,
      beside: `p95 ${milliseconds(percentile(postgres, 0.95))}`,
    });
  addP95(what, alone.all, mostMs);
  if (population.largest <= fewClicks) addP95(`${what}, one question at a time`, alone.single, mostOfFewMs);
  const [crowdedMs, aloneMs] = [crowded, alone].map(({ all }) => percentile(all.clickhouse, 0.95));
  const ratio = crowdedMs! / aloneMs!;
  report.add({
    id: 'A2',
    what: `the same beside ${count(neighbours)} clicks of other organizations`,
    figure: `p95 ${milliseconds(crowdedMs!)}`,
    ratio: ratio.toFixed(2),
    goal: `≤ ${mostBeside}`,
    isMet: ratio <= mostBeside,
  });
  // Last: PostgreSQL does not get these clicks.
  const again = await makeClickLines(db, population, 0, Math.min(clicks, mostAtOnce));
  await measureLag('A2', { ...stage, clickhouse }, again, isQuick, report);
};

/** Time that the machine's cores worked since it started: nothing else may run. */
function readBusyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys } }) => sum + user + nice + sys, 0);
}

interface Asked {
  engines: Record<keyof Both, Statistics>;
  questions: ReturnType<typeof filteredQuestions>;
  rounds: number;
  signal: AbortSignal;
}

interface Times {
  all: Both;
  /** Of questions about one thing, of all the largest organization's clicks. */
  single: Both;
}

/** Asks both in turn; their answers must be equal. @returns the milliseconds of each answer after a first round. */
async function measureAnswers({ engines, questions, rounds, signal }: Asked, report: Report): Promise<Times> {
  const all: Both = { postgres: [], clickhouse: [] };
  const single: Both = { postgres: [], clickhouse: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, isSingle, ask } of questions) {
      const answers: unknown[] = [];
      for (const engine of ['postgres', 'clickhouse'] as const) {
        signal.throwIfAborted();
        const startedAt = performance.now();
        answers.push(await ask(engines[engine]));
        const ms = performance.now() - startedAt;
        if (round === 0) continue;
        all[engine].push(ms);
        if (isSingle) single[engine].push(ms);
      }
      if (!isDeepStrictEqual(answers[0], answers[1])) report.mismatch(`A2: ${name}: the answers differ`);
    }
  }
  return { all, single };
}

/** Copies clicks in ClickHouse until it has as many more as wanted. The copies belong to organizations that no question is about. */
async function addNeighbours(clickhouse: ClickHouse, wanted: number, signal: AbortSignal): Promise<void> {
  const first = `toString(organization_id) like '00000001-%'`;
  const [{ number: own } = { number: 0 }] = await clickhouse.query<{ number: number }>(
    `select count() as number from clicks where ${first}`,
  );
  for (let copied = 0; copied < wanted; copied += own) {
    signal.throwIfAborted();
    const another = (id: string): string => `reinterpret(sipHash128(${id}, ${copied}), 'UUID') as ${id}`;
    await clickhouse.execute(`insert into clicks
      select * replace (generateUUIDv4() as id, ${['organization_id', 'link_id', 'domain_id', 'folder_id'].map(another).join(', ')})
      from clicks where ${first} limit ${wanted - copied}`);
    console.log(`  ${count(Math.min(copied + own, wanted))} clicks of others`);
  }
  for (;;) {
    const [running] = await clickhouse.query<{ number: number }>('select count() as number from system.merges');
    if (running!.number === 0) return;
    signal.throwIfAborted();
    await setTimeout(mergeEveryMs);
  }
}
