import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants as osConstants, setPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { installPackages, runIn } from './lib/folder-packages.mjs';
import { waitForLock } from './lib/lock.mjs';
import { root } from './lib/paths.ts';

const source = join(root, 'console');
const target = join(root, 'dist', 'console');
const next = join(root, 'dist', 'console.next');
const old = join(root, 'dist', 'console.old');
const stampName = 'stamp';
const lockDeadlineMs = 10 * 60_000;
// Folders and files whose content decides what is built.
const inputs = ['console', 'core', 'scripts/build-console.ts'];
const compressible = /\.(js|css|svg|json|html)$/;
// Shorter files do not get smaller by it.
const leastCompressedBytes = 1_024;

/** Whether the built console exists and matches its sources. */
export function isConsoleFresh(): boolean {
  const stamp = join(target, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashInputs();
}

/**
 * Builds the console into `dist/console` unless that is fresh. Two processes may do so at once; readers of `dist/console` see
 * the old build or the new one.
 * @returns whether it built. @throws Error when packages cannot be installed or the build fails.
 */
export async function buildConsole(say: (line: string) => void): Promise<boolean> {
  if (isConsoleFresh()) return false;
  await installPackages('console', say);
  const lock = await waitForLock(join(root, 'dist', 'console.lock'), { deadlineMs: lockDeadlineMs });
  if (lock.holder !== undefined) throw new Error(`Another build of the console (process ${lock.holder}) does not end.`);
  try {
    if (isConsoleFresh()) return false;
    const hash = hashInputs();
    await runIn('console', process.execPath, [
      join(source, 'node_modules/vite/bin/vite.js'),
      'build',
      '--logLevel',
      'warn',
    ]);
    await compressFiles(next);
    // Written before the exchange: a build that was interrupted is never taken for a whole one.
    writeFileSync(join(next, stampName), hash);
    rmSync(old, { recursive: true, force: true });
    if (existsSync(target)) renameSync(target, old);
    renameSync(next, target);
    rmSync(old, { recursive: true, force: true });
    return true;
  } finally {
    lock.release();
  }
}

/** Writes `.br` and `.gz` beside files, which the API sends to browsers as they are. */
async function compressFiles(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => compressible.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      // The API writes a nonce into each answer with the page.
      if (bytes.length < leastCompressedBytes || name.endsWith('.html')) return;
      const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
      writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

function hashInputs(): string {
  return hashOf(inputs);
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesIn))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

/** All files at or below a path, without installed packages. Paths are relative to the checkout. */
function filesIn(path: string): string[] {
  if (path.includes('.')) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${path}/${entry.name}`) : [`${path}/${entry.name}`]))
    .toSorted();
}

if (import.meta.main) {
  if (process.argv.includes('--idle')) setPriority(osConstants.priority.PRIORITY_LOW);
  const say = (line: string): void => console.log(`console: ${line}`);
  const startedAt = performance.now();
  if (process.argv.includes('--packages')) await installPackages('console', say);
  else if (process.argv.includes('--watch')) {
    await installPackages('console', say);
    const vite = join(source, 'node_modules/vite/bin/vite.js');
    spawn(process.execPath, [vite, '--port', '5173'], { cwd: source, stdio: 'inherit' });
  } else {
    const done = await buildConsole(say);
    say(done ? `built (${((performance.now() - startedAt) / 1000).toFixed(1)} s)` : 'the build is up to date');
  }
}
