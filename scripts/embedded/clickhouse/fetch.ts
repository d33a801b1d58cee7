import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import manifest from './chdb/package.json' with { type: 'json' };

/** Where the packages of ClickHouse for tests are, in the cache folder. */
const folderOf = (cacheDir: string): string => join(cacheDir, `chdb-${manifest.dependencies.chdb}`);

/** @returns the folder of ClickHouse's packages; undefined where they were not fetched. */
export function findChdb(cacheDir: string): string | undefined {
  const folder = folderOf(cacheDir);
  return existsSync(folder) ? folder : undefined;
}

/**
 * Fetches ClickHouse's packages, some 550 MB, by npm and by the hashes of its lock file, where they are not there. Linux on x64
 * with glibc.
 * @returns their folder.
 * @throws Error where npm fails.
 */
export function fetchChdb(cacheDir: string): string {
  const target = folderOf(cacheDir);
  if (existsSync(target)) return target;
  mkdirSync(cacheDir, { recursive: true });
  const draft = mkdtempSync(join(cacheDir, '.chdb-'));
  try {
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(import.meta.dirname, 'chdb', name), join(draft, name));
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: draft,
      stdio: 'inherit',
    });
    if (!existsSync(target)) renameSync(draft, target);
    return target;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
