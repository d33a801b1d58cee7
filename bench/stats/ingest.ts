import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { clickColumns } from '#core/clicks/click.ts';
import type { ClickHouse } from '#db/connection/clickhouse.ts';
import type { Database } from '#db/connection/database.ts';
import { createJournal, type Journal } from '#edge/journal/journal.ts';
import { createSite } from '#core/links/site.ts';
import { createShipper, type Shipper } from '#edge/shipper/shipper.ts';
import type { BenchOptions } from '#bench/lib/bench.ts';
import { forgetClicks } from '#bench/lib/clicks.ts';
import { count, describeRatio, milliseconds, percentile, ratioOf, spreadOf } from '#bench/lib/figures.ts';
import type { Finding } from '#bench/lib/report.ts';
import { createClickSource, type Size } from './clicks.ts';
import { openFilledDatabase } from './fill.ts';

const clicks = 500_000;
const quickClicks = 50_000;
const leastPerSecond = 30_000;
const pacedPerMs = 5;
const leastPacedSeconds = 60;
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

/** Measures the ingest of clicks from journals: I1. @param size of the population that they are of. */
export async function measureIngest(
  { folder, isQuick, timing, signal }: BenchOptions,
  size: Size,
): Promise<{ findings: Finding[]; mismatches: string[] }> {
  await using closing = new AsyncDisposableStack();
  const db = await openFilledDatabase(folder, closing);
  await db.query('create table bare_clicks (like clicks including all)');
  await db.query('vacuum analyze');
  const stage = { db, root: join(folder, 'journals'), signal };
  const mismatches: string[] = [];
  const check = async (appended: number): Promise<void> => {
    const mismatch = await compare(db, appended);
    if (mismatch !== undefined) mismatches.push(mismatch);
  };

  const lines = prepareLines(size, isQuick ? quickClicks : clicks);
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
  const perSecond = spreadOf(shipped);
  const none = { baseline: '', ratio: '' };
  const findings: Finding[] = [
    {
      id: 'I1',
      what: `journal to database, ${count(lines.length)} clicks, beside one COPY`,
      figure: `${count(perSecond.median)}/s (${count(perSecond.min)}–${count(perSecond.max)})`,
      baseline: `${count(spreadOf(copied).median)}/s`,
      ratio: describeRatio(ratioOf(shipped, copied)),
      goal: `≥ ${count(leastPerSecond)}/s`,
      isMet: perSecond.median >= leastPerSecond,
    },
  ];

  const seconds = isQuick ? quickPacedSeconds : Math.max(leastPacedSeconds, timing.seconds);
  const { lagsMs, appended } = await shipPaced(stage, size, seconds);
  await check(appended);
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => milliseconds(percentile(lagsMs, share)));
  findings.push({
    id: 'I1',
    what: `how late clicks are at ${count(pacedPerMs * 1_000)}/s, ${seconds} s`,
    figure: `p50 ${p50}, p99 ${p99}, most ${most}`,
    goal: `p99 ≤ ${milliseconds(mostLagMs)}`,
    isMet: percentile(lagsMs, 0.99) <= mostLagMs,
    ...none,
  });
  return { findings, mismatches };
}

/** Clicks as an edge would have written them within a few seconds. */
function prepareLines(size: Size, number: number): string[] {
  const source = createClickSource(size);
  const startMs = Date.now() - number / (leastPerSecond / 1_000);
  return Array.from({ length: number }, (_, click) =>
    source.line(source.pick(), Math.floor(startMs + click / (leastPerSecond / 1_000))),
  );
}

/** Fills a journal, then ships it. @returns clicks a second. */
export async function shipLines(stage: Stage, lines: readonly string[]): Promise<number> {
  const { journal, shipper } = open(stage);
  for (let from = 0; from < lines.length; from += linesPerTick)
    await append(journal, lines.slice(from, from + linesPerTick));
  const startedAt = performance.now();
  shipper.start();
  await untilShipped(shipper, stage.signal);
  const tookMs = performance.now() - startedAt;
  await close(journal, shipper);
  return (lines.length / tookMs) * 1_000;
}

/**
 * Writes clicks at an even pace while they are shipped.
 * @returns the lag at each sample: the age of the oldest click that the database did not have.
 */
async function shipPaced(stage: Stage, size: Size, seconds: number): Promise<{ lagsMs: number[]; appended: number }> {
  const source = createClickSource(size);
  const { journal, shipper } = open(stage);
  shipper.start();
  const written: { appended: number; at: number }[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1_000;
  let appended = 0;
  const write = async (): Promise<void> => {
    for (let now = startedAt; now < endAt; now = performance.now()) {
      stage.signal.throwIfAborted();
      const due = Math.floor((now - startedAt) * pacedPerMs) - appended;
      const nowMs = Date.now();
      appended += due;
      written.push({ appended, at: now });
      await append(
        journal,
        Array.from({ length: due }, () => source.line(source.pick(), nowMs)),
      );
      await sleep(tickMs);
    }
  };
  const lagsMs: number[] = [];
  const watch = async (): Promise<void> => {
    let first = 0;
    while (performance.now() < endAt) {
      await sleep(sampleMs);
      const { rows } = await stage.db.query<{ ingested: number }>('select ingested from journals where id = $1', [
        journal.id,
      ]);
      const ingested = rows[0]?.ingested ?? 0;
      while (first < written.length && written[first]!.appended <= ingested) first += 1;
      lagsMs.push(first < written.length ? performance.now() - written[first]!.at : 0);
    }
  };
  await Promise.all([write(), watch()]);
  await untilShipped(shipper, stage.signal);
  await close(journal, shipper);
  return { lagsMs, appended };
}

function open({ db, clickhouse, root }: Stage): { journal: Journal; shipper: Shipper } {
  const journal = createJournal({ root, fsync: false });
  const log = { info: () => undefined, warn: (details: object, message: string) => console.log(message, details) };
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

/** Compares the clicks in the database with the written ones, and removes them. */
async function compare(db: Database, appended: number): Promise<string | undefined> {
  const { rows } = await db.query<Record<'clicks' | 'ids' | 'counters' | 'counted', number>>(
    `select count(*) as clicks, count(distinct id) as ids,
       (select coalesce(sum(clicks), 0)::bigint from link_counters) as counters,
       (select coalesce(sum(number), 0)::bigint from click_days, unnest(quarters) as number) as counted
     from clicks`,
  );
  await forgetClicks(db);
  const found = Object.entries(rows[0]!);
  if (found.every(([, number]) => number === appended)) return undefined;
  return `${count(appended)} clicks were written; ${found.map(([name, number]) => `${name} ${count(number)}`).join(', ')}`;
}
