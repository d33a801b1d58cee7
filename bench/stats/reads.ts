import type { BenchOptions } from '#bench/lib/bench.ts';
import { count, milliseconds, percentile, spreadOf } from '#bench/lib/figures.ts';
import type { Finding, Outcome } from '#bench/lib/report.ts';
import type { Filled } from './kept.ts';
import { filteredStatistics, reports, type Statistic, wholeStatistics } from './queries.ts';

const countedMs = 50;
const readMs = 1_000;
/** Reads of each statistic in a round: a single read of milliseconds varies too much. */
const readsEach = { counted: 20, raw: 3 } as const;

interface Times {
  id: string;
  statistic: Statistic;
  /** In milliseconds. */
  all: number[];
  /** By GROUP BY, one read a round. */
  raw: number[];
}

/** Measures statistics on many clicks, beside one GROUP BY over them: A1 and A3. */
export async function measureReads(filled: Filled, { timing: { rounds }, signal }: BenchOptions): Promise<Outcome> {
  const begin =
    (id: string) =>
    (statistic: Statistic): Times => ({ id, statistic, all: [], raw: [] });
  const measured = [
    ...wholeStatistics(filled).map(begin('A1')),
    ...filteredStatistics(filled).map(begin('A1')),
    ...reports(filled).map(begin('A3')),
  ];
  const mismatches: string[] = [];
  const { clicks, counted } = await countAll(filled.db);
  const wanted = filled.size.clicks;
  if (clicks !== wanted || counted !== wanted)
    mismatches.push(`of ${count(wanted)} there are ${count(clicks)}, counted by day ${count(counted)}`);
  for (let round = 0; round <= rounds; round += 1) {
    for (const times of measured) {
      signal.throwIfAborted();
      const mismatch = await measure(times, round === 0);
      if (mismatch !== undefined) mismatches.push(mismatch);
    }
    console.log(round === 0 ? '  warm' : `  round ${round} of ${rounds}`);
  }
  return { findings: measured.map(describe), noisy: [], mismatches };
}

/** Reads a statistic some times, and once by GROUP BY. @returns the mismatch, or undefined. */
async function measure({ statistic, all, raw }: Times, isWarmUp: boolean): Promise<string | undefined> {
  const { name, isCounted, read, readRaw } = statistic;
  const [expected, rawMs] = await timed(readRaw);
  const own: number[] = [];
  for (let reads = isWarmUp ? 1 : isCounted ? readsEach.counted : readsEach.raw; reads > 0; reads -= 1) {
    const [answer, ms] = await timed(read);
    if (answer !== expected) return `${name}: ${answer} is not ${expected}`;
    own.push(ms);
  }
  if (!isWarmUp) {
    all.push(...own);
    raw.push(rawMs);
  }
  return undefined;
}

async function timed(read: () => Promise<string>): Promise<[answer: string, ms: number]> {
  const startedAt = performance.now();
  const answer = await read();
  return [answer, performance.now() - startedAt];
}

function describe({ id, statistic: { name, clicks, isCounted }, all, raw }: Times): Finding {
  const p95 = percentile(all, 0.95);
  const mostMs = isCounted ? countedMs : readMs;
  return {
    id,
    what: `${name} (${count(clicks)})`,
    figure: `p50 ${milliseconds(percentile(all, 0.5))}, p95 ${milliseconds(p95)}`,
    baseline: milliseconds(spreadOf(raw).median),
    ratio: '',
    goal: `p95 ≤ ${milliseconds(mostMs)}`,
    isMet: p95 <= mostMs,
  };
}

async function countAll(db: Filled['db']): Promise<{ clicks: number; counted: number }> {
  const { rows } = await db.query<{ clicks: number; counted: number }>(
    `select (select count(*) from clicks) as clicks,
       (select coalesce(sum(number), 0)::bigint from click_days, unnest(quarters) as number) as counted`,
  );
  return rows[0]!;
}
