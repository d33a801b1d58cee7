import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrganization } from '#test/support/factories.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { beVictim, type Experience, type ProductAddress, type Tally } from '#test/support/tenants.ts';
import type { Bench } from '#bench/lib/bench.ts';
import type { Database } from '#db/connection/database.ts';
import { milliseconds, percentile, spreadOf } from '#bench/lib/figures.ts';
import { goFirst, goLast, othersCpuTimeMs, useEveryCore } from '#bench/lib/machine.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { createStage } from '#bench/lib/stage.ts';

// As many calls as six keys of one organization may make at once: none of it is refused for being too many calls alone.
const limits = { RATE_LIMIT_PER_SECOND: '30', RATE_LIMIT_PER_MINUTE: '1800' };
// Rows that are imported in a block are scanned before the next one; the rest of a day's scans would last for hours.
const scansPerDay = { THREAT_SCANS_PER_DAY: '10000000' };
// Of each kind of call, in each block, which takes half a minute: enough that a block has long collections of garbage and checkpoints in
// it, and that no two or three calls decide p99.
const callsInBlock = 240;
const quickCalls = 20;
const pauseMs = 20;
const mostRatio = 5;
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
export const bench: Bench = async (options) => {
  const {
    signal,
    isQuick,
    timing: { rounds },
  } = options;
  const findings = createFindings();
  // As `npm start` runs it: the kernel divides the cores between all processes.
  useEveryCore();
  const [apiPort, edgePort] = (await freePorts(2)) as [number, number];
  const host = `localhost:${edgePort}`;
  const address: ProductAddress = { apiPort, edgePort, host };
  const ports = { PORT: String(apiPort), EDGE_PORT: String(edgePort) };
  await using stage = await createStage(options, {
    settings: { EDGE_URL: `http://${host}`, LOG_LEVEL: 'error', ...limits, ...scansPerDay },
  });
  const { db } = stage.database;
  await stage.start('API', 'server.ts', { env: { SERVE: 'api', ...ports } });
  await stage.start('edge', 'server.ts', { env: { SERVE: 'edge', ...ports } });
  await stage.start('worker', 'worker.ts');
  const [greedy, victim] = [await createOrganization(db), await createOrganization(db)];
  const calls = isQuick ? quickCalls : callsInBlock;
  await lockLink(address, greedy.key);
  const live = (count: number): Promise<Experience> => beVictim(address, victim.key, { rounds: count, pauseMs });
  const measure = async (series: Series): Promise<void> => {
    const [startedAtMs, othersMs] = [performance.now(), othersCpuTimeMs()];
    const experience = await live(calls);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    series.othersMsPerSecond.push((othersCpuTimeMs() - othersMs) / seconds);
    for (const [what, times] of Object.entries(experience.times)) (series.times[what] ??= []).push(...times);
    series.failures.push(...experience.failures);
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
    stage.defer(() => void load.kill());
    goLast(load.pid!);
    await once(load, 'message', { signal });
    return load;
  };
  // The first calls are not measured: they pay for compilation and query plans, for the greedy organization's too.
  await live(quickCalls);
  const [alone, beside] = [createSeries(), createSeries()];
  for (let round = 0; round <= rounds; round += 1) {
    const load = await startGreedy();
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
  const others = [...alone.othersMsPerSecond, ...beside.othersMsPerSecond].map(Math.round);
  console.log(`  processor time of other programs, by block: ${others.join(', ')} ms/s`);
  const usual = spreadOf(others).median;
  if (usual > mostOthersMsPerSecond) findings.noise(`other programs took ${usual} ms of processor time in each second`);
  const failures = [...alone.failures, ...beside.failures];
  findings.add({
    id: 'V1',
    what: 'its calls that failed',
    figure: String(failures.length),
    baseline: '',
    ratio: '',
    goal: '0',
    isMet: failures.length === 0,
  });
  for (const failure of failures) console.log(failure);
  return findings.outcome();
};

const lockedSlug = 'locked';

/** What all blocks of one kind have seen. */
interface Series {
  times: Record<string, number[]>;
  failures: string[];
  /** Processor time of other programs, for each block. */
  othersMsPerSecond: number[];
}

const createSeries = (): Series => ({ times: {}, failures: [], othersMsPerSecond: [] });

function describeTimes(times: readonly number[]): string {
  return `p50 ${milliseconds(percentile(times, p50))}, p99 ${milliseconds(percentile(times, p99))}`;
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
