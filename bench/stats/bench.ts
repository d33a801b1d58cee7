import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';
import type { Bench, BenchOptions } from '#bench/lib/bench.ts';
import type { Outcome } from '#bench/lib/report.ts';
import type { Size } from './clicks.ts';
import { measureIngest } from './ingest.ts';
import { openFilled } from './kept.ts';
import { measureReads } from './reads.ts';

const allClicks = 20_000_000;
const quickClicks = 200_000;
const fewerClicks = 1_000_000;
const largestClicks = 400_000;
const hottestClicks = 738_000;
// Largest share of the clicks that one organization may have.
const mostShare = 0.4;

/** Measures statistics of many clicks, A1 to A3, and how clicks come into the database, I1. */
export const bench: Bench = async (options) => {
  const { only, isQuick, folder, signal } = options;
  const cores = cpus().length;
  const clicks = options.clicks ?? (isQuick ? quickClicks : allClicks);
  const fewer = Math.min(fewerClicks, Math.floor(clicks / 2));
  const sizeOf = (number: number): Size => ({
    clicks: number,
    // The same in both.
    largest: Math.min(largestClicks, Math.floor(fewer * mostShare)),
    hottest: Math.min(hottestClicks, Math.floor(number * mostShare)),
  });
  const wants = (...ids: string[]): boolean => only.length === 0 || ids.some((id) => only.includes(id));
  // PostgreSQL is measured here, with all cores: large queries run on several.
  holdTo(`0-${cores - 1}`);
  try {
    const outcomes: Outcome[] = [];
    if (wants('A1', 'A2', 'A3')) outcomes.push(await readAll(options, sizeOf(clicks), sizeOf(fewer)));
    if (wants('I1')) outcomes.push({ ...(await measureIngest(options, sizeOf(clicks))), noisy: [] });
    return {
      findings: outcomes.flatMap(({ findings }) => findings.filter(({ id }) => wants(id))),
      noisy: outcomes.flatMap(({ noisy }) => noisy),
      mismatches: outcomes.flatMap(({ mismatches }) => mismatches),
    };
  } finally {
    holdTo(`1-${cores - 1}`);
  }

  async function readAll(all: BenchOptions, size: Size, less: Size): Promise<Outcome> {
    // A small population is made in a moment and need not be kept.
    const parent = isQuick ? join(folder, 'filled') : cacheFolder(folder);
    mkdirSync(parent, { recursive: true, mode: 0o711 });
    await using closing = new AsyncDisposableStack();
    const filled = await openFilled(parent, size, signal, closing);
    return await measureReads(filled, await openFilled(parent, less, signal, closing), all);
  }
};

function cacheFolder(dataDir: string): string {
  return loadConfig({ ...process.env, WAYMARK_DATA_DIR: dataDir }).WAYMARK_CACHE_DIR;
}

/** Moves this process and its future children to these cores. */
function holdTo(cores: string): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`This process cannot be moved to cores ${cores}: ${stderr}`);
}
