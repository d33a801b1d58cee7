// @module-tag process

import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { acquireLock, processMark, waitForLock } from '#scripts/lib/lock.mjs';
import { makeFolder } from '#test/support/folders.ts';

let folder: string;
beforeEach(() => void (folder = makeFolder()));

const lockModule = join(import.meta.dirname, '../../../scripts/lib/lock.mjs');

test('a held lock names its holder and is free after its release', () => {
  const path = join(folder, 'deep', 'lock');
  const lock = acquireLock(path);
  expect(acquireLock(path)).toEqual({ holder: process.pid });
  lock.release!();
  expect(acquireLock(path).holder).toBeUndefined();
});

test('a lock of a dead process, of a later process with the same id, or with broken content is taken over', () => {
  const path = join(folder, 'lock');
  const { pid } = process;
  for (const content of [`{"pid":${2 ** 22 + 1},"mark":"1"}`, `{"pid":${pid},"mark":"1"}`, '']) {
    writeFileSync(path, content);
    const lock = acquireLock(path);
    expect(lock.holder).toBeUndefined();
    lock.release!();
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('one of many processes that find a dead lock takes it', async () => {
  const path = join(folder, 'lock');
  writeFileSync(path, '{"pid":1,"mark":"of another life"}');
  // Each holds what it gets until its stdin is closed.
  const code = `
    import { acquireLock } from ${JSON.stringify(lockModule)};
    console.log(acquireLock(${JSON.stringify(path)}).holder ?? 'mine');
    process.stdin.resume();`;
  const children = Array.from({ length: 6 }, () => spawn(process.execPath, ['--input-type=module', '-e', code]));
  const answers = await Promise.all(
    children.map(
      ({ stdout }) => new Promise<string>((resolve) => stdout.once('data', (data) => resolve(String(data).trim()))),
    ),
  );
  for (const child of children) child.stdin.end();
  const winner = children[answers.indexOf('mine')]!.pid;
  expect(answers.toSorted()).toEqual([...Array.from({ length: 5 }, () => String(winner)), 'mine'].toSorted());
});

test('waiting ends with the release, the deadline or the signal', async () => {
  const path = join(folder, 'lock');
  const lock = acquireLock(path);
  expect(await waitForLock(path, { deadlineMs: 0 })).toEqual({ holder: process.pid });
  await expect(waitForLock(path, { deadlineMs: 60_000, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  const told: number[] = [];
  const onWait = (holder: number): void => {
    told.push(holder);
    lock.release!();
  };
  const next = await waitForLock(path, { deadlineMs: 60_000, onWait });
  expect(next.holder).toBeUndefined();
  expect(told).toEqual([process.pid]);
});

test('a process that has ended has no mark', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.once('exit', resolve));
  expect(processMark(child.pid!)).toBeUndefined();
  expect(processMark(process.pid)).toBe(processMark(process.pid));
});
