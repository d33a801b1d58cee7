// @module-tag process
import { getPriority } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { run, type Running } from '#scripts/lib/running.ts';

let running: Running | undefined;
afterEach(() => running?.stop([]));

it.each([
  { isBackground: false, niceness: getPriority() },
  { isBackground: true, niceness: Math.max(getPriority(), 5) },
])(
  'a process that is started with $isBackground as isBackground runs at niceness $niceness',
  ({ isBackground, niceness }) => {
    running = run({ command: process.execPath, args: ['--eval', 'setInterval(() => {}, 1000)'], isBackground });
    expect(getPriority(running.pid)).toBe(niceness);
  },
);
