import type { BenchOptions } from '#bench/lib/bench.ts';
import { count, describeRatio, isNoisy, milliseconds, percentile, ratioOf, spreadOf } from '#bench/lib/figures.ts';
import type { Finding } from '#bench/lib/report.ts';
import type { Filled } from './kept.ts';
import { filteredStatistics, reports, type Statistic, wholeStatistics } from './queries.ts';

const leastRatio = 100;
const countedMs = 25;
const readMs = 1_500;
const reportMs = 1_000;
const mostGrowth = 1.5;
const mostRollupShare = 0.1;
/** Reads of each statistic in a round: a single read of milliseconds varies too much. */
const readsEach = { counted: 20, raw: 3 } as const;

interface Times {
  statistic: Statistic;
  /** All, in milliseconds. */
  all: number[];
  /** The median of each round, and the one raw read of it. */
  medians: number[];
  raw: number[];
}

/** Findings, and reasons to doubt them. */
interface Reads {
  findings: Finding[];
  noisy: string[];
  mismatches: string[];
}

/** Measures statistics on many clicks, and some of the same on a table with fewer others beside them: A1 to A3. */
export async function measureReads(
  filled: Filled,
  small: Filled,
  { timing: { rounds }, signal }: BenchOptions,
): Promise<Reads> {
  const begin = (statistic: Statistic): Times => ({ statistic, all: [], medians: [], raw: [] });
  const [whole, fewer, filtered] = [
    wholeStatistics(filled).map(begin),
    wholeStatistics(small)
      .filter(({ isCounted }) => isCounted)
      .map(begin),
    filteredStatistics(filled).map(begin),
  ];
  const pages = reports(filled).map(begin);
  const mismatches: string[] = [];
  for (const [name, { db, size }] of Object.entries({ filled, small })) {
    const { clicks, counted } = await countAll(db);
    if (clicks !== size.clicks || counted !== size.clicks)
      mismatches.push(`${name}: of ${count(size.clicks)} there are ${count(clicks)}, counted by day ${count(counted)}`);
  }

  for (let round = 0; round <= rounds; round += 1) {
    for (const times of [
      ...whole.flatMap((own, index) => [own, ...fewer.slice(index, index + 1)]),
      ...filtered,
      ...pages,
    ]) {
      signal.throwIfAborted();
      const mismatch = await measure(times, round === 0);
      if (mismatch !== undefined) mismatches.push(mismatch);
    }
    console.log(round === 0 ? '  warm' : `  round ${round} of ${rounds}`);
  }

  const counted = whole.filter(({ statistic }) => statistic.isCounted);
  const visitors = whole.filter(({ statistic }) => !statistic.isCounted);
  const raw = spreadOf(counted[0]!.raw.map((_, round) => sumOf(counted.map((times) => times.raw[round]!))));
  return {
    findings: [
      ...counted.map((times) => describeRead('A1', times, { mostMs: countedMs, least: leastRatio })),
      describeGrowth(counted, fewer, filled, small),
      ...filtered.map((times) => describeRead('A1', times, { mostMs: readMs })),
      ...pages.map((times) => describeRead('A3', times, { mostMs: reportMs })),
      ...visitors.map((times) => describeRead('A2', times, { mostMs: readMs })),
      await describeBytes(filled),
    ],
    noisy: isNoisy(raw) ? [`all by GROUP BY: ${milliseconds(raw.min)} to ${milliseconds(raw.max)}`] : [],
    mismatches,
  };
}

/** Reads a statistic some times, and once by GROUP BY. @returns the mismatch, or undefined. */
async function measure({ statistic, all, medians, raw }: Times, isWarmUp: boolean): Promise<string | undefined> {
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
    medians.push(spreadOf(own).median);
    raw.push(rawMs);
  }
  return undefined;
}

async function timed(read: () => Promise<string>): Promise<[answer: string, ms: number]> {
  const startedAt = performance.now();
  const answer = await read();
  return [answer, performance.now() - startedAt];
}

function describeRead(
  id: string,
  { statistic: { name, clicks }, all, medians, raw }: Times,
  { mostMs, least = 0 }: { mostMs: number; least?: number },
): Finding {
  const ratio = ratioOf(raw, medians);
  const p95 = percentile(all, 0.95);
  return {
    id,
    what: `${name} (${count(clicks)})`,
    figure: `p50 ${milliseconds(percentile(all, 0.5))}, p95 ${milliseconds(p95)}`,
    baseline: milliseconds(spreadOf(raw).median),
    ratio: describeRatio(ratio),
    goal: `${least > 0 ? `≥ ${least}, ` : ''}p95 ≤ ${milliseconds(mostMs)}`,
    isMet: p95 <= mostMs && ratio.median >= least,
  };
}

/** All statistics of the organization together, beside the same clicks among fewer others. */
function describeGrowth(many: readonly Times[], few: readonly Times[], filled: Filled, small: Filled): Finding {
  const [slow, quick] = [many, few].map((all) =>
    all[0]!.medians.map((_, round) => sumOf(all.map(({ medians }) => medians[round]!))),
  );
  const ratio = ratioOf(slow!, quick!);
  return {
    id: 'A1',
    what: `all of these, ${count(filled.size.clicks)} clicks beside ${count(small.size.clicks)}`,
    figure: milliseconds(spreadOf(slow!).median),
    baseline: milliseconds(spreadOf(quick!).median),
    ratio: describeRatio(ratio),
    goal: `≤ ${mostGrowth}`,
    isMet: ratio.median <= mostGrowth,
  };
}

async function describeBytes({ db }: Filled): Promise<Finding> {
  const { rows } = await db.query<{ clicks: number; rollups: number }>(
    `select (select sum(pg_table_size(relid))::bigint from pg_partition_tree('clicks') where isleaf) as clicks,
       (select sum(pg_total_relation_size(name::regclass))::bigint
        from unnest('{click_days,click_rolls,click_values,click_week_rolls,click_week_values}'::text[]) name) as rollups`,
  );
  const { clicks, rollups } = rows[0]!;
  const share = rollups / clicks;
  return {
    id: 'A2',
    what: 'bytes of counts, with indexes, beside clicks without',
    figure: `${count(rollups / 1e6)} MB`,
    baseline: `${count(clicks / 1e6)} MB`,
    ratio: share.toFixed(4),
    goal: `≤ ${mostRollupShare}`,
    isMet: share <= mostRollupShare,
  };
}

async function countAll(db: Filled['db']): Promise<{ clicks: number; counted: number }> {
  const { rows } = await db.query<{ clicks: number; counted: number }>(
    `select (select count(*) from clicks) as clicks,
       (select coalesce(sum(number), 0)::bigint from click_days, unnest(quarters) as number) as counted`,
  );
  return rows[0]!;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
