// @module-tag process
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { run, type Running } from '#scripts/lib/running.ts';

let running: Running | undefined;
afterEach(() => running?.stop([]));

it.each([
  { isBackground: false, niceness: getPriority(), shareNiceness: 0 },
  { isBackground: true, niceness: Math.max(getPriority(), 5), shareNiceness: Math.max(getPriority(), 5) },
])(
  'a process that is started with $isBackground as isBackground runs at niceness $niceness',
  ({ isBackground, niceness, shareNiceness }) => {
    running = run({ command: process.execPath, args: ['--eval', 'setInterval(() => {}, 1000)'], isBackground });
    expect(getPriority(running.pid)).toBe(niceness);
    // The share of its session too, where the kernel has such shares; that of a new session is 0, whatever its process has.
    const share = `/proc/${running.pid}/autogroup`;
    if (existsSync(share)) expect(readFileSync(share, 'utf8')).toMatch(new RegExp(` nice ${shareNiceness}\\s`));
  },
);
