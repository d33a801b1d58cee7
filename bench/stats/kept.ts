import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { migrate } from '#db/migrations/migrate.ts';
import { startPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { acquireLock } from '#scripts/lib/lock.mjs';
import { freePorts } from '#test/support/free-ports.ts';
import { startBenchPostgres } from '#bench/lib/database.ts';
import { count } from '#bench/lib/figures.ts';
import { MissingError } from '#bench/lib/machine.ts';
import type { Size } from './clicks.ts';
import { days, fillWithClicks } from './fill.ts';

/** A database with many clicks. */
export interface Filled {
  db: Database;
  size: Size;
  /** A range that has all its clicks (Unix, milliseconds): from a midnight until the last one. */
  startMs: number;
  endMs: number;
}

// Version of the population: a new number discards kept databases.
const form = 3;
const msPerDay = 86_400_000;
// Measured: a click with its indexes, and the WAL of filling.
const bytesPerClick = 800;
const bytesForAll = 2e9;

/**
 * Starts PostgreSQL with so many clicks. They are generated once and kept in a folder below `parent` for the next runs.
 * @throws MissingError where there is no room, or another benchmark uses the folder.
 */
export async function openFilled(
  parent: string,
  size: Size,
  signal: AbortSignal,
  closing: AsyncDisposableStack,
): Promise<Filled> {
  const folder = join(parent, `bench-stats-${size.clicks}`);
  const mark = join(folder, 'filled.json');
  const lock = acquireLock(`${folder}.lock`);
  if (lock.release === undefined) throw new MissingError(`Process ${lock.holder} uses ${folder}.`);
  closing.defer(() => lock.release());
  let made = readMark(mark, size);
  if (made === undefined) {
    made = { form, size, endMs: Date.now() };
    await make(folder, size, made.endMs, signal);
    writeFileSync(mark, JSON.stringify(made));
  }
  const { url, stop } = await startBenchPostgres(folder);
  closing.defer(async () => void (await stop()));
  await migrate(url);
  const db = createDatabase({ url, applicationName: 'waymark bench' });
  closing.defer(() => db.close());
  return { db, size, startMs: Math.floor(made.endMs / msPerDay - days) * msPerDay, endMs: made.endMs };
}

async function make(folder: string, size: Size, endMs: number, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  rmSync(folder, { recursive: true, force: true });
  const { bavail, bsize } = statfsSync(dirname(folder));
  const needed = size.clicks * bytesPerClick + bytesForAll;
  if (bavail * bsize < needed) throw new MissingError(`${folder} needs ${count(needed / 1e9)} GB.`);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  console.log(`  making ${count(size.clicks)} clicks in ${folder}`);
  const [port] = await freePorts(1);
  const { url, stop } = await startPostgres({ dataDir: folder, port: port!, fast: true, signal });
  try {
    await fillWithClicks(url, size, endMs, signal);
  } finally {
    await stop();
  }
  console.log(`  made in ${count((performance.now() - startedAt) / 1_000)} s`);
}

interface Mark {
  form: number;
  size: Size;
  endMs: number;
}

/** @returns undefined where no population is kept, or another one. */
function readMark(path: string, size: Size): Mark | undefined {
  try {
    const mark = JSON.parse(readFileSync(path, 'utf8')) as Mark;
    return mark.form === form && JSON.stringify(mark.size) === JSON.stringify(size) ? mark : undefined;
  } catch {
    return undefined;
  }
}
