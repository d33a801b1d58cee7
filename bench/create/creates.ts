import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDatabase, emptyLinks } from '#bench/lib/database.ts';
import { count, spreadOf } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { interleave, type Measured, type Run } from '#bench/lib/interleave.ts';
import { createScript } from '#bench/lib/lua.ts';
import { cpuTimeMs } from '#bench/lib/machine.ts';
import { type Seen, wrk } from '#bench/lib/wrk.ts';
import type { Stage, Target } from './stage.ts';

const connections = 64;
const bulkConnections = 8;
const linksPerBulk = 100;
// Calls that were under way when the client ended have ended by then.
const settleMs = 500;
// Goals from the rates of comparable products on such a machine: three times the one rate, and once the other.
const wantedPerSecond = [2_820, 2_800];
const wantedBulk = 10_000;
const pacedPerSecond = 1_000;
// Batches of answered scans are recorded every five seconds.
const pacedSeconds = 20;
const wantedRecordingUs = 60;

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
  const { options, database, large } = stage;
  const bare = await stage.bare();
  const eager = await stage.api('no wait for verdicts', database, 0);
  const waiting = await stage.api('default wait for verdicts', database);
  const full = large && (await stage.api('no wait, many links there', large, 0));
  const runs: Run[] = [
    { ...createRun(bare), check: bareCheck(database) },
    createRun(eager),
    createRun(waiting),
    ...(full ? [createRun(full, { isEmptied: false })] : []),
    ...[1, bulkConnections].map((atOnce) => ({
      ...createRun(waiting, { bulkAtOnce: atOnce }),
      name: bulkName(atOnce),
    })),
  ];
  const measured = await interleave(runs, options.timing, options);
  const of = (name: string): Measured => measured.get(name)!;
  const by = 'perSecond';
  findings.baseline(of(bare.name), by);
  findings.ratio({ id: 'C1', what: eager.name, of: of(eager.name), to: of(bare.name), by, wanted: 0.5 });
  findings.ratio({ id: 'C1', what: waiting.name, of: of(waiting.name), to: of(bare.name), by });
  const what = 'processor time for each';
  findings.ratio({ id: 'C1', what, of: of(eager.name), to: of(bare.name), by: 'cpuUs' });
  for (const wanted of wantedPerSecond) addRate(findings, { what: eager.name, run: of(eager.name), wanted });
  if (full) {
    const among = 'with many links there, beside none';
    findings.ratio({ id: 'C1', what: among, of: of(full.name), to: of(eager.name), by, wanted: 0.9 });
  }
  for (const atOnce of [1, bulkConnections]) {
    const run = of(bulkName(atOnce));
    addRate(findings, { what: `links a second in ${bulkName(atOnce)}`, run, times: linksPerBulk, wanted: wantedBulk });
  }
}

/**
 * Measures what the record of a scan costs Temporal and the worker, where the local list knows the verdict: C1. Their idle time
 * counts too.
 */
export async function measureRecording(
  { options, database, recorders, api }: Stage,
  findings: Findings,
): Promise<void> {
  console.log(`C1: the record of scans, at ${count(pacedPerSecond)} links a second`);
  const { folder, isQuick } = options;
  const target = await api('paced creates', database);
  const pauseMs = (connections * 1_000) / pacedPerSecond;
  const headers = { 'X-Api-Key': database.apiKey };
  const load = {
    url: target.url,
    connections,
    script: createScript({ path: '/short-link', body: oneBody, headers, pauseMs }),
  };
  await wrk(load, 2, folder);
  const spent = (): number => recorders.reduce((sum, { pid }) => sum + cpuTimeMs(pid), 0);
  const before = spent();
  const { requests, perSecond } = await wrk(load, isQuick ? 2 : pacedSeconds, folder);
  const us = ((spent() - before) * 1_000) / requests;
  await emptyLinks(database);
  await target.stop();
  findings.add({
    id: 'C1',
    what: `Temporal and worker for each link, ${count(perSecond)} links a second`,
    figure: `${us.toFixed(1)} µs`,
    baseline: '',
    ratio: '',
    goal: `≤ ${wantedRecordingUs} µs`,
    isMet: us <= wantedRecordingUs,
  });
}

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

function createRun({ name, url: base, pid, database }: Target, { bulkAtOnce = 0, isEmptied = true } = {}): Run {
  const headers = { 'X-Api-Key': database.apiKey };
  const isBulk = bulkAtOnce > 0;
  const script = isBulk
    ? createScript({ path: '/short-link/bulk', body: bulkBody, headers })
    : createScript({ path: '/short-link', body: oneBody, headers });
  const [atOnce, times] = isBulk ? [bulkAtOnce, linksPerBulk] : [connections, 1];
  return {
    name,
    pid,
    load: { url: base, connections: atOnce, script },
    check: linkCheck(database, isEmptied, atOnce, times),
  };
}

/** Compares the links in the database with the answers. */
function linkCheck(database: BenchDatabase, isEmptied: boolean, atOnce: number, times: number) {
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
    if (isEmptied) await emptyLinks(database);
    else await forgetScans(database);
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

/** Removes the worker's queue: waiting work would run into the next measurement. */
async function forgetScans({ db }: BenchDatabase): Promise<void> {
  await db.query('truncate outbox');
  await db.query('update threat_verdicts set due_at = null where due_at is not null');
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
