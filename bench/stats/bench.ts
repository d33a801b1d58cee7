import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';
import { createStatistics } from '#db/stats/statistics.ts';
import type { Bench, BenchOptions } from '#bench/lib/bench.ts';
import { count } from '#bench/lib/figures.ts';
import { leaveAppCore, useEveryCore } from '#bench/lib/machine.ts';
import type { Report } from '#bench/lib/report.ts';
import { measureIngest } from './ingest.ts';
import { openClicks } from './population.ts';
import { filteredQuestions, type Question, wholeQuestions } from './questions.ts';

const allClicks = 20_000_000;
const quickClicks = 200_000;
const countedMs = 50;
const filteredMs = 1_000;
/** A single read of milliseconds varies too much. */
const readsOf = ({ isCounted }: Question): number => (isCounted ? 20 : 3);

/** Measures statistics of many clicks, A1, and how clicks come into the database, I1. */
export const bench: Bench = async (options, report) => {
  const clicks = options.clicks ?? (options.isQuick ? quickClicks : allClicks);
  // PostgreSQL is measured here, with all cores: large queries run on several.
  useEveryCore();
  try {
    if (options.wants('A1')) await measureReads(options, report, clicks);
    if (options.wants('I1')) await measureIngest(options, report, clicks);
  } finally {
    leaveAppCore();
  }
};

async function measureReads({ isQuick, folder, signal, timing }: BenchOptions, report: Report, clicks: number) {
  // A small population is made in a moment and need not be kept.
  const cache = loadConfig({ ...process.env, WAYMARK_DATA_DIR: folder }).WAYMARK_CACHE_DIR;
  await using closing = new AsyncDisposableStack();
  const { db, population } = await openClicks(isQuick ? join(folder, 'data') : cache, clicks, signal, closing);
  const { rows } = await db.query<{ counted: number }>(
    'select sum(number)::bigint as counted from click_days, unnest(quarters) as number',
  );
  if (rows[0]!.counted !== clicks) report.mismatch(`A1: of ${clicks} clicks ${rows[0]!.counted} are counted by day`);
  console.log(`A1: ${count(clicks)} clicks, ${count(population.largest)} of the largest organization`);
  const statistics = createStatistics(db);
  const questions = [...wholeQuestions(population), ...filteredQuestions(population)];
  const times = new Map(questions.map((question) => [question, [] as number[]]));
  for (let round = 0; round <= timing.rounds; round += 1) {
    for (const [question, own] of times) {
      signal.throwIfAborted();
      for (let read = 0; read < readsOf(question); read += 1) {
        const startedAt = performance.now();
        await question.ask(statistics);
        if (round > 0) own.push(performance.now() - startedAt);
      }
    }
    console.log(round === 0 ? '  warm' : `  round ${round} of ${timing.rounds}`);
  }
  for (const [{ name, isCounted }, own] of times) {
    report.p95({ id: 'A1', what: name, times: own, mostMs: isCounted ? countedMs : filteredMs });
  }
}
