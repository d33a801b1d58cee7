import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '#config/load.ts';
import { bundleWorkflows } from '#scripts/bundle-workflows.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { createOrganization } from '#test/support/factories.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { beVictim, type Experience, type ProductAddress, type Tally } from '#test/support/tenants.ts';
import { startApp } from '#bench/lib/app.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { prepareDatabase, startBenchPostgres } from '#bench/lib/database.ts';
import type { Database } from '#db/connection/database.ts';
import { milliseconds, percentile, spreadOf } from '#bench/lib/figures.ts';
import { goFirst, goLast, othersCpuTimeMs, useEveryCore } from '#bench/lib/machine.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { createLoopDelayReader, type LoopDelays } from './event-loop.ts';

// As many calls as six keys of one organization may make at once: none of it is refused for being too many calls alone.
const limits = { RATE_LIMIT_PER_SECOND: '30', RATE_LIMIT_PER_MINUTE: '1800' };
// Rows that are imported in a block are scanned before the next one; the rest of a day's scans would last for hours.
const scansPerDay = { THREAT_SCANS_PER_DAY: '10000000' };
// Of each kind of call, in each block, which takes half a minute: enough that a block has long collections of garbage and checkpoints in
// it, and that no two or three calls decide p99.
const callsInBlock = 240;
// The first second of a block: all of the greedy organization's calls begin at once.
const callsAtOnset = 8;
const quickCalls = 20;
const pauseMs = 20;
const mostRatio = 3;
// A choice: a tenth of a core.
const mostOthersMsPerSecond = 100;
const [p50, p99] = [0.5, 0.99];
// A choice: what the greedy organization left behind is no part of what the other one has alone.
const settleDeadlineMs = 60_000;
const settleEveryMs = 200;

/**
 * Measures what an organization feels of a greedy one beside it: V1. Blocks of calls alone and beside the other one alternate, so
 * that a slow minute of the machine and the growth of the tables affect both.
 */
export const bench: Bench = async ({ folder, signal, isQuick, timing: { rounds } }) => {
  const findings = createFindings();
  // As `npm start` runs it: the kernel divides the cores between all processes.
  useEveryCore();
  const dataDir = join(folder, 'data');
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const [temporalPort, apiPort, edgePort, ...metricsPorts] = (await freePorts(5)) as [
      number,
      number,
      number,
      ...number[],
    ];
    const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = loadConfig({
      ...process.env,
      WAYMARK_DATA_DIR: dataDir,
    });
    const binary = await findTemporalBinary({ cli, cacheDir, onProgress: (line) => console.log(line), signal });
    await bundleWorkflows();
    const temporal = await startTemporal({ binary: binary.path, dataDir, port: temporalPort, signal });
    closing.push(() => temporal.stop());
    const postgres = await startBenchPostgres(dataDir);
    closing.push(() => postgres.stop());
    const { db, url } = await prepareDatabase(postgres.url);
    closing.push(() => db.close());
    const host = `localhost:${edgePort}`;
    const address: ProductAddress = { apiPort, edgePort, host };
    const shared = {
      DATABASE_URL: url,
      SECRET_KEY: randomBytes(32).toString('base64url'),
      TEMPORAL_ADDRESS: temporal.address,
      PLATFORM_DOMAIN: host,
      PORT: String(apiPort),
      EDGE_PORT: String(edgePort),
      LOG_LEVEL: 'error',
      ...limits,
      ...scansPerDay,
    };
    const start = async (name: string, script: string, env: NodeJS.ProcessEnv): Promise<void> => {
      const own = join(folder, name);
      mkdirSync(own);
      const app = await startApp({
        name,
        script,
        env: { ...shared, ...env, WAYMARK_DATA_DIR: own },
        isMeasured: false,
      });
      closing.push(() => app.stop());
    };
    const [apiMetrics, edgeMetrics] = metricsPorts as [number, number];
    await start('API', 'server.ts', { SERVE: 'api', METRICS_PORT: String(apiMetrics) });
    await start('edge', 'server.ts', { SERVE: 'edge', METRICS_PORT: String(edgeMetrics) });
    await start('worker', 'worker.ts', {});
    const [greedy, victim] = [await createOrganization(db), await createOrganization(db)];
    const calls = isQuick ? quickCalls : callsInBlock;
    await lockLink(address, greedy.key);
    const live = (count: number): Promise<Experience> => beVictim(address, victim.key, { rounds: count, pauseMs });
    const readers = { API: createLoopDelayReader(apiMetrics), edge: createLoopDelayReader(edgeMetrics) };
    const measure = async (series: Series): Promise<void> => {
      const [startedAtMs, othersMs] = [performance.now(), othersCpuTimeMs()];
      const experience = await live(calls);
      const seconds = (performance.now() - startedAtMs) / 1_000;
      series.othersMsPerSecond.push((othersCpuTimeMs() - othersMs) / seconds);
      for (const [what, times] of Object.entries(experience.times)) {
        (series.times[what] ??= []).push(...times);
        series.onset.push(...times.slice(0, callsAtOnset));
      }
      series.failures.push(...experience.failures);
      for (const name of processes) series.delays[name].push(await readers[name]());
    };
    // Clients are on other machines. So the calls of the one do not wait for a core, and the other one, which has begun a session of its
    // own, takes none from the product; it is there before it is measured, since a start of Node takes half a second.
    goFirst(process.pid);
    const startGreedy = async (): Promise<ChildProcess> => {
      const load = fork(
        join(import.meta.dirname, 'greedy.ts'),
        [JSON.stringify({ address, key: greedy.key, slug: lockedSlug })],
        { detached: true },
      );
      closing.push(async () => load.kill());
      goLast(load.pid!);
      await once(load, 'message', { signal });
      return load;
    };
    // The first calls are not measured: they pay for compilation and query plans, for the greedy organization's too.
    await live(quickCalls);
    const [alone, beside] = [createSeries(), createSeries()];
    for (let round = 0; round <= rounds; round += 1) {
      const load = await startGreedy();
      for (const name of processes) await readers[name]();
      if (round > 0) await measure(alone);
      signal.throwIfAborted();
      load.send('start');
      await (round === 0 ? live(quickCalls) : measure(beside));
      load.send('stop');
      const [tally] = (await once(load, 'message')) as [Tally];
      const settledMs = await untilSettled(db, signal);
      console.log(
        round === 0 ? '  warm' : `  round ${round} of ${rounds}`,
        JSON.stringify(tally),
        `settled in ${settledMs.toFixed(0)} ms`,
      );
    }
    for (const [what, times] of Object.entries(beside.times)) {
      const before = alone.times[what]!;
      const ratio = percentile(times, p99) / percentile(before, p99);
      findings.add({
        id: 'V1',
        what: `${what}, beside a greedy organization`,
        figure: describeTimes(times),
        baseline: describeTimes(before),
        ratio: ratio.toFixed(2),
        goal: `p99 ≤ ${mostRatio}`,
        isMet: ratio <= mostRatio,
      });
    }
    findings.add({
      id: 'V1',
      what: 'all of these in the first second of the load',
      figure: describeTimes(beside.onset),
      baseline: describeTimes(alone.onset),
      ratio: (percentile(beside.onset, p99) / percentile(alone.onset, p99)).toFixed(2),
      goal: '',
      isMet: null,
    });
    for (const name of processes) {
      findings.add({
        id: 'V1',
        what: `delay of the event loop, ${name}`,
        figure: describeDelays(beside.delays[name]),
        baseline: describeDelays(alone.delays[name]),
        ratio: '',
        goal: '',
        isMet: null,
      });
    }
    const others = [...alone.othersMsPerSecond, ...beside.othersMsPerSecond].map(Math.round);
    console.log(`  processor time of other programs, by block: ${others.join(', ')} ms/s`);
    const usual = spreadOf(others).median;
    if (usual > mostOthersMsPerSecond)
      findings.noise(`other programs took ${usual} ms of processor time in each second`);
    const failures = [...alone.failures, ...beside.failures];
    findings.add({
      id: 'V2',
      what: 'its calls that failed',
      figure: String(failures.length),
      baseline: '',
      ratio: '',
      goal: '0',
      isMet: failures.length === 0,
    });
    for (const failure of failures) console.log(failure);
  } finally {
    for (const step of closing.toReversed()) await step();
  }
  return findings.outcome();
};

const lockedSlug = 'locked';
const processes = ['API', 'edge'] as const;

/** What all blocks of one kind have seen. */
interface Series {
  times: Record<string, number[]>;
  /** Of all kinds, the times in the first second of each block. */
  onset: number[];
  failures: string[];
  /** One reading for each block. */
  delays: Record<(typeof processes)[number], LoopDelays[]>;
  /** Processor time of other programs, for each block. */
  othersMsPerSecond: number[];
}

const createSeries = (): Series => ({
  times: {},
  onset: [],
  failures: [],
  delays: { API: [], edge: [] },
  othersMsPerSecond: [],
});

function describeTimes(times: readonly number[]): string {
  return `p50 ${milliseconds(percentile(times, p50))}, p99 ${milliseconds(percentile(times, p99))}`;
}

function describeDelays(delays: readonly LoopDelays[]): string {
  const median = (of: (one: LoopDelays) => number): number => spreadOf(delays.map((one) => of(one))).median;
  const times = `p99 ${milliseconds(median((one) => one.p99Ms))}, most ${milliseconds(median((one) => one.mostMs))}`;
  const collecting = milliseconds(median((one) => one.collectingMsPerSecond));
  const working = milliseconds(median((one) => one.workingMsPerSecond));
  return `${times}; of a second ${working} of processor time, ${collecting} of collections`;
}

/** Waits until no import and no scan is left over, and clicks are shipped. @returns how long that took. */
async function untilSettled(db: Database, signal: AbortSignal): Promise<number> {
  const startedAtMs = performance.now();
  for (;;) {
    const { rows } = await db.query<{ left: number }>(
      `select (select count(*) from imports where finished_at is null) + (select count(*) from outbox) as left`,
    );
    const tookMs = performance.now() - startedAtMs;
    if (rows[0]!.left === 0 || tookMs > settleDeadlineMs) return tookMs;
    await sleep(settleEveryMs, undefined, { signal });
  }
}

/** Makes the link with a password that is guessed at. */
async function lockLink({ apiPort }: ProductAddress, key: string): Promise<void> {
  const { status } = await fetch(`http://127.0.0.1:${apiPort}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      slug: lockedSlug,
      destination: { type: 'link', value: 'https://example.com/' },
      password: 'secret',
    }),
  });
  if (status !== 201) throw new Error(`A link could not be made: ${status}`);
}
