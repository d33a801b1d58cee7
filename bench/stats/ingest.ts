import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { clickColumns } from '#core/clicks/click.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { Database } from '#db/connection/database.ts';
import { createJournal, type Journal } from '#edge/journal/journal.ts';
import { createSite } from '#core/links/site.ts';
import { createShipper, type Shipper } from '#edge/shipper/shipper.ts';
import type { BenchOptions } from '#bench/lib/bench.ts';
import { compareClicks } from '#bench/lib/clicks.ts';
import { count, milliseconds, percentile, spreadOf } from '#bench/lib/figures.ts';
import { makeClickLines } from '#bench/lib/fill.ts';
import type { Report } from '#bench/lib/report.ts';
import { openLinks, populationOf } from './population.ts';

const clicks = 500_000;
const quickClicks = 50_000;
const leastPerSecond = 30_000;
const pacedPerMs = 5;
const pacedSeconds = 60;
const quickPacedSeconds = 5;
const mostLagMs = 2_000;
const tickMs = 20;
const sampleMs = 50;
const pollMs = 5;
const linesPerTick = 2_000;
const linesPerCopy = 10_000;
const shipDeadlineMs = 300_000;
const closeDeadlineMs = 30_000;

interface Stage {
  db: Database;
  /** Gets the clicks in place of the database. */
  clickhouse?: ClickHouse;
  /** Folder of all journals. */
  root: string;
  signal: AbortSignal;
}

/** Measures the ingest of clicks from journals: I1. @param of how many clicks of the population they are the last ones. */
export async function measureIngest(
  { folder, isQuick, timing, signal }: BenchOptions,
  report: Report,
  of: number,
): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const db = await openLinks(join(folder, 'data'), closing);
  await db.query('create table bare_clicks (like clicks including all)');
  await db.query('vacuum analyze');
  const stage = { db, root: join(folder, 'journals'), signal };
  const check = async (appended: number): Promise<void> => {
    const mismatch = await compareClicks(db, appended);
    if (mismatch !== undefined) report.mismatch(mismatch);
  };

  const lines = await makeClickLines(db, populationOf(of), of - (isQuick ? quickClicks : clicks), of);
  const [shipped, copied]: [number[], number[]] = [[], []];
  for (let round = 0; round <= timing.rounds; round += 1) {
    const own = await shipLines(stage, lines);
    await check(lines.length);
    const bare = await copyAll(db, lines);
    if (round === 0) continue;
    shipped.push(own);
    copied.push(bare);
    console.log(`  round ${round} of ${timing.rounds}: ${count(own)}/s, by COPY alone ${count(bare)}/s`);
  }
  const beside = `one COPY ${count(spreadOf(copied).median)}/s`;
  const what = `journal to database, ${count(lines.length)} clicks`;
  report.rate({ id: 'I1', what, rates: shipped, wanted: leastPerSecond, beside });

  await check(await measureLag('I1', stage, lines, isQuick, report));
}

/** Measures how late clicks are that come at an even pace. @returns how many of the lines came. */
export async function measureLag(
  id: string,
  stage: Stage,
  lines: readonly string[],
  isQuick: boolean,
  report: Report,
): Promise<number> {
  const seconds = isQuick ? quickPacedSeconds : pacedSeconds;
  const paced = await shipPaced(stage, lines.slice(0, pacedPerMs * 1_000 * seconds));
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(paced.lagsMs, share));
  report.add({
    id,
    what: `how late clicks are at ${count(pacedPerMs * 1_000)}/s`,
    figure: `p50 ${milliseconds(p50!)}, p99 ${milliseconds(p99!)}, most ${milliseconds(most!)}`,
    goal: `p99 ≤ ${milliseconds(mostLagMs)}`,
    isMet: p99! <= mostLagMs,
  });
  return paced.appended;
}

/** Fills a journal, then ships it. @returns clicks a second. */
export async function shipLines(stage: Stage, lines: readonly string[]): Promise<number> {
  const { journal, shipper } = open(stage);
  for (let from = 0; from < lines.length; from += linesPerTick)
    await append(journal, lines.slice(from, from + linesPerTick));
  const startedAt = performance.now();
  shipper.start();
  try {
    await untilShipped(shipper, stage.signal);
    return (lines.length / (performance.now() - startedAt)) * 1_000;
  } finally {
    await close(journal, shipper);
  }
}

/**
 * Writes clicks at an even pace while they are shipped.
 * @returns the lag at each sample: the age of the oldest click that the database did not have.
 */
async function shipPaced(stage: Stage, lines: readonly string[]): Promise<{ lagsMs: number[]; appended: number }> {
  const { journal, shipper } = open(stage);
  shipper.start();
  const written: { appended: number; at: number }[] = [];
  const startedAt = performance.now();
  let appended = 0;
  const write = async (): Promise<void> => {
    while (appended < lines.length) {
      stage.signal.throwIfAborted();
      const at = performance.now();
      const due = lines.slice(appended, Math.floor((at - startedAt) * pacedPerMs));
      appended += due.length;
      written.push({ appended, at });
      await append(journal, due);
      await sleep(tickMs);
    }
  };
  const lagsMs: number[] = [];
  const watch = async (): Promise<void> => {
    let first = 0;
    while (appended < lines.length) {
      await sleep(sampleMs);
      const { rows } = await stage.db.query<{ ingested: number }>('select ingested from journals where id = $1', [
        journal.id,
      ]);
      const ingested = rows[0]?.ingested ?? 0;
      while (first < written.length && written[first]!.appended <= ingested) first += 1;
      lagsMs.push(first < written.length ? performance.now() - written[first]!.at : 0);
    }
  };
  try {
    await Promise.all([write(), watch()]);
    await untilShipped(shipper, stage.signal);
    return { lagsMs, appended };
  } finally {
    await close(journal, shipper);
  }
}

function open({ db, clickhouse, root }: Stage): { journal: Journal; shipper: Shipper } {
  const journal = createJournal({ root, fsync: false });
  const log = { info: () => undefined, warn: (...line: unknown[]) => console.log(...line) };
  return {
    journal,
    shipper: createShipper({
      database: db,
      clickhouse,
      site: createSite({ scheme: 'http', platformDomain: 'localhost:3001' }),
      journal,
      root,
      log,
      now: Date.now,
    }),
  };
}

async function close(journal: Journal, shipper: Shipper): Promise<void> {
  await journal.close();
  if (!(await shipper.close(closeDeadlineMs))) throw new Error('the journal is not shipped');
}

function append(journal: Journal, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    if (lines.length === 0) return resolve();
    // They are all in one write.
    for (const line of lines.slice(1)) journal.append(line, () => undefined);
    journal.append(lines[0]!, (error) => (error === undefined ? resolve() : reject(error)));
  });
}

async function untilShipped(shipper: Shipper, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + shipDeadlineMs;
  while (shipper.state().lagMs > 0) {
    signal.throwIfAborted();
    if (performance.now() > deadline) throw new Error(`clicks are not shipped after ${shipDeadlineMs / 1_000} s`);
    await sleep(pollMs);
  }
}

/** Copies the same clicks into a table with the same indexes, in one statement. @returns clicks a second. */
async function copyAll(db: Database, lines: readonly string[]): Promise<number> {
  const client = await db.pool.connect();
  try {
    const startedAt = performance.now();
    const copy = client.query(copyFrom(`copy bare_clicks (${clickColumns.join(', ')}) from stdin`));
    for (let from = 0; from < lines.length; from += linesPerCopy)
      copy.write(lines.slice(from, from + linesPerCopy).join(''));
    copy.end();
    await finished(copy);
    const tookMs = performance.now() - startedAt;
    await client.query('truncate bare_clicks');
    return (lines.length / tookMs) * 1_000;
  } finally {
    client.release();
  }
}
