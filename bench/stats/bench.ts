import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';
import type { Bench, BenchOptions } from '#bench/lib/bench.ts';
import { leaveAppCore, useEveryCore } from '#bench/lib/machine.ts';
import type { Outcome } from '#bench/lib/report.ts';
import type { Size } from './clicks.ts';
import { measureIngest } from './ingest.ts';
import { openFilled } from './kept.ts';
import { measureReads } from './reads.ts';

const allClicks = 20_000_000;
const quickClicks = 200_000;
const largestClicks = 400_000;
const hottestClicks = 738_000;
// Largest share of the clicks that one organization may have.
const mostShare = 0.4;

/** Measures statistics of many clicks, A1 and A3, and how clicks come into the database, I1. */
export const bench: Bench = async (options) => {
  const { only, isQuick } = options;
  const clicks = options.clicks ?? (isQuick ? quickClicks : allClicks);
  const most = Math.floor(clicks * mostShare);
  const size = { clicks, largest: Math.min(largestClicks, most), hottest: Math.min(hottestClicks, most) };
  const wants = (...ids: string[]): boolean => only.length === 0 || ids.some((id) => only.includes(id));
  // PostgreSQL is measured here, with all cores: large queries run on several.
  useEveryCore();
  try {
    const outcomes: Outcome[] = [];
    if (wants('A1', 'A3')) outcomes.push(await readAll(options, size));
    if (wants('I1')) outcomes.push({ ...(await measureIngest(options, size)), noisy: [] });
    return {
      findings: outcomes.flatMap(({ findings }) => findings.filter(({ id }) => wants(id))),
      noisy: [],
      mismatches: outcomes.flatMap(({ mismatches }) => mismatches),
    };
  } finally {
    leaveAppCore();
  }
};

async function readAll(options: BenchOptions, size: Size): Promise<Outcome> {
  const { isQuick, folder, signal } = options;
  // A small population is made in a moment and need not be kept.
  const parent = isQuick ? join(folder, 'filled') : cacheFolder(folder);
  mkdirSync(parent, { recursive: true, mode: 0o711 });
  await using closing = new AsyncDisposableStack();
  return await measureReads(await openFilled(parent, size, signal, closing), options);
}

function cacheFolder(dataDir: string): string {
  return loadConfig({ ...process.env, WAYMARK_DATA_DIR: dataDir }).WAYMARK_CACHE_DIR;
}
