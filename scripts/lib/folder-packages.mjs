// Plain JavaScript without dependencies, because scripts/bootstrap.mjs uses it before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitForLock } from './lock.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const stampOf = (folder) => join(root, folder, 'node_modules', '.waymark-stamp');
const deadlineMs = 10 * 60_000;

export async function installPackages(folder, say) {
  if (isInstalled(folder)) return;
  const lock = await waitForLock(join(root, 'dist', `${folder.replaceAll('/', '-')}-packages.lock`), { deadlineMs });
  if (lock.holder !== undefined) throw new Error(`Another installation (process ${lock.holder}) does not end.`);
  try {
    if (isInstalled(folder)) return;
    say(`installing the packages of ${folder}/`);
    await runIn(folder, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    writeFileSync(stampOf(folder), wantedStamp(folder));
  } finally {
    lock.release();
  }
}

export async function runIn(folder, command, args) {
  // npm must not run on the Node inside node_modules, which another npm may be about to remove.
  const modules = join(root, 'node_modules');
  const outside = (process.env.PATH ?? '').split(delimiter).filter((path) => !resolve(path).startsWith(modules));
  const { NODE_ENV: _environment, ...env } = process.env;
  const child = spawn(command, args, {
    cwd: join(root, folder),
    env: { ...env, PATH: outside.join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && command === 'npm',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  let isStopped = false;
  const end = () => {
    isStopped = true;
    child.kill();
  };
  process.once('SIGTERM', end);
  const code = await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  }).finally(() => process.off('SIGTERM', end));
  // The lock goes with this process. An error would have its stack printed under "Stopping."
  if (isStopped) process.exit(143);
  if (code !== 0) throw new Error(`${command} ${args[0]} failed in ${folder}/:\n${output.slice(-8_000)}`);
}

function isInstalled(folder) {
  // The image and copies of parts of the checkout have no such folder.
  if (!existsSync(join(root, folder, 'package-lock.json'))) return true;
  try {
    return readFileSync(stampOf(folder), 'utf8') === wantedStamp(folder);
  } catch {
    return false;
  }
}

function wantedStamp(folder) {
  return createHash('sha256')
    .update(readFileSync(join(root, folder, 'package-lock.json')))
    .digest('hex');
}
