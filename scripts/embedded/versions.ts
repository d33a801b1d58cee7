import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

/** Versions that last used a data folder. `postgres` is a major version, `temporal` the server's version. */
interface Versions {
  waymark?: string;
  postgres?: string;
  temporal?: string;
}

/** Reads `versions.json` of a data folder; empty where the file does not exist. */
export function readVersions(dataDir: string): Versions {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as Versions;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new StartError(`${fileOf(dataDir)} cannot be read (${(error as Error).message}).`);
  }
}

/**
 * Refuses a data folder of a newer version, or of another PostgreSQL major version.
 * @throws StartError that names both versions and the remedy.
 */
export function checkVersions(dataDir: string, current: Versions): void {
  const stamp = readVersions(dataDir);
  if (stamp.postgres !== undefined && current.postgres !== undefined && stamp.postgres !== current.postgres) {
    throw new StartError(
      `The data in ${dataDir} belongs to PostgreSQL ${stamp.postgres}; this version of Waymark brings ${current.postgres}.\n` +
        'Start the version of Waymark that made it, dump its database with pg_dump, and restore that into a new folder.',
    );
  }
  for (const name of ['waymark', 'temporal'] as const) {
    const had = stamp[name];
    const has = current[name];
    if (had === undefined || has === undefined || compareVersions(had, has) <= 0) continue;
    const title = name === 'waymark' ? 'Waymark' : 'the Temporal server';
    throw new StartError(
      `The data in ${dataDir} was last used by ${title} ${had}, and this is ${has}: an older version may not read it.\n` +
        `Use ${title} ${had} or newer, or another folder (WAYMARK_DATA_DIR).`,
    );
  }
}

/** Updates the given versions in `versions.json`. */
export function stampVersions(dataDir: string, current: Versions): void {
  const file = fileOf(dataDir);
  const known = Object.fromEntries(Object.entries(current).filter(([, version]) => version !== undefined));
  const next = JSON.stringify({ ...readVersions(dataDir), ...known }, null, 2) + '\n';
  writeFileSync(`${file}.new`, next);
  renameSync(`${file}.new`, file);
}

/** Compares dotted versions by number: negative when `a` is older, 0 when equal. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'versions.json');
}
