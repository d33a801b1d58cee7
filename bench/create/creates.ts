import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDatabase, emptyLinks, makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import { count, spreadOf } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { interleave, type Measured, type Run } from '#bench/lib/interleave.ts';
import { createScript } from '#bench/lib/lua.ts';
import type { Seen } from '#bench/lib/wrk.ts';
import type { Stage, Target } from '#bench/lib/stage.ts';

const knownLinks = 1_000;
const connections = 32;
const bulkConnections = 8;
const linksPerBulk = 100;
// Calls that were under way when the client ended have ended by then.
const settleMs = 500;
// The rate of Kutt on the machine of the last figures.
const wantedPerSecond = 1_000;
const wantedBulk = 2_000;
const wantedP99Ms = 120;
const wantedAloneMs = 8;

const url = `"https://example.com/" .. run .. "/" .. n`;
const oneBody = `'{"destination":{"type":"link","value":"' .. ${url} .. '"}}'`;
const bulkBody = `(function()
  local rows = {}
  for i = 1, ${linksPerBulk} do
    rows[i] = '{"destination":{"type":"link","value":"' .. ${url} .. "-" .. i .. '"}}'
  end
  return '{"links":[' .. table.concat(rows, ",") .. "]}"
end)()`;

/** Measures creates per second: C1. */
export async function measureCreates(stage: Stage, findings: Findings): Promise<void> {
  console.log('C1: links made, each with a scan of its destination');
  const { options, database } = stage;
  // Gives the planner statistics, as autovacuum does a minute after the first links; they stay when rows go.
  await makeLinks(database, numberedSlugs('s', knownLinks));
  await emptyLinks(database);
  await stage.start('worker', 'worker.ts');
  const api = (name: string, env: NodeJS.ProcessEnv): Promise<Target> =>
    stage.start(name, 'server.ts', { env: { SERVE: 'api', ...env }, isMeasured: true });
  const bare = await stage.start('bare Fastify with one INSERT', 'bench/bare-fastify.ts', {
    env: { DATABASE_URL: database.url },
    isMeasured: true,
  });
  const eager = await api('no wait for verdicts', { THREAT_SCAN_WAIT_MS: '0' });
  const waiting = await api('default wait for verdicts', {});
  const createRun = (target: Target, more?: CreateRun): Run => runOf(database, target, more);
  const runs: Run[] = [
    { ...createRun(bare), check: bareCheck(database) },
    createRun(eager),
    createRun(waiting),
    createRun(waiting, { name: aloneName, atOnce: 1 }),
    ...[1, bulkConnections].map((atOnce) =>
      createRun(waiting, { name: bulkName(atOnce), atOnce, linksPerCall: linksPerBulk }),
    ),
  ];
  const measured = await interleave(runs, options.timing, options);
  const of = (name: string): Measured => measured.get(name)!;
  const by = 'perSecond';
  findings.baseline(of(bare.name), by);
  findings.ratio({ id: 'C1', what: eager.name, of: of(eager.name), to: of(bare.name), by });
  findings.ratio({ id: 'C1', what: waiting.name, of: of(waiting.name), to: of(bare.name), by });
  addRate(findings, { what: eager.name, run: of(eager.name), wanted: wantedPerSecond });
  for (const atOnce of [1, bulkConnections]) {
    const run = of(bulkName(atOnce));
    addRate(findings, { what: `links a second in ${bulkName(atOnce)}`, run, times: linksPerBulk, wanted: wantedBulk });
  }
  const p50 = `p50, ${aloneName}`;
  findings.time({ id: 'C1', what: p50, of: of(aloneName), by: 'p50Ms', mostMs: wantedAloneMs });
  for (const { name } of [waiting, eager])
    findings.time({ id: 'C1', what: `p99, ${name}`, of: of(name), by: 'p99Ms', mostMs: wantedP99Ms });
}

const aloneName = 'one client, default wait';
const bulkName = (atOnce: number): string => `bulk calls, ${atOnce} at once`;

function addRate(
  findings: Findings,
  { what, run, times = 1, wanted }: { what: string; run: Measured; times?: number; wanted: number },
): void {
  const { median, min, max } = spreadOf(run.perSecond.map((rate) => rate * times));
  const isRight = run.mismatch === undefined;
  findings.add({
    id: 'C1',
    what,
    figure: isRight ? `${count(median)}/s (${count(min)}–${count(max)})` : 'no figure',
    baseline: '',
    ratio: '',
    goal: `≥ ${count(wanted)}/s`,
    isMet: isRight ? median >= wanted : null,
  });
}

interface CreateRun {
  name?: string;
  atOnce?: number;
  linksPerCall?: number;
}

function runOf(
  database: BenchDatabase,
  { name: target, url: base }: Target,
  { name = target, atOnce = connections, linksPerCall = 1 }: CreateRun = {},
): Run {
  const headers = { 'X-Api-Key': database.apiKey };
  const script =
    linksPerCall === 1
      ? createScript({ path: '/short-link', body: oneBody, headers })
      : createScript({ path: '/short-link/bulk', body: bulkBody, headers });
  return {
    name,
    load: { url: base, connections: atOnce, script },
    check: linkCheck(database, atOnce, linksPerCall),
  };
}

/** Compares the links in the database with the answers. */
function linkCheck(database: BenchDatabase, atOnce: number, times: number) {
  const { db } = database;
  let since = new Date();
  /** @param seen of the client. Calls under way at its end, one on each connection at most, may have created links. */
  return async ({ requests }: Seen): Promise<string | undefined> => {
    await sleep(settleMs);
    const { rows } = await db.query<{ links: number; destinations: number; events: number; scanned: number }>(
      `with made as materialized (select id from short_links where created_at >= $1)
       select count(*) as links,
         (select count(*) from destinations where link_id in (select id from made)) as destinations,
         (select count(*) from events where link_id in (select id from made)) as events,
         (select count(*) from threat_verdicts where requested_at >= $1 and scanned_at is not null) as scanned
       from made`,
      [since],
    );
    const { links, destinations, events, scanned } = rows[0]!;
    await emptyLinks(database);
    await sleep(settleMs);
    since = new Date();
    console.log(`    ${count(links)} links made, ${count(scanned)} destinations scanned meanwhile`);
    const isMatch = links >= requests * times && links <= (requests + atOnce) * times;
    if (isMatch && destinations === links && events === links) return undefined;
    return (
      `clients counted ${count(requests * times)} links, and there are ${count(links)} with ${count(destinations)} ` +
      `destinations and ${count(events)} events`
    );
  };
}

function bareCheck({ db }: BenchDatabase) {
  return async ({ requests }: Seen): Promise<string | undefined> => {
    await sleep(settleMs);
    const { rows } = await db.query<{ made: number }>('select count(*) as made from bare_links');
    await db.query('truncate bare_links');
    const { made } = rows[0]!;
    const isMatch = made >= requests && made <= requests + connections;
    return isMatch ? undefined : `clients counted ${count(requests)} rows, and there are ${count(made)}`;
  };
}
