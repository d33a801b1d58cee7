import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { lowerPoolPriority } from '#adapters/machine/thread-priority.ts';

test.runIf(process.platform === 'linux')(
  'threads of the pool yield to the event loop, which keeps its priority',
  async () => {
    const before = getPriority();
    await lowerPoolPriority();
    const threads = readdirSync('/proc/self/task').filter(
      (thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === 'libuv-worker',
    );
    expect(threads.length).toBeGreaterThan(0);
    for (const thread of threads) expect(getPriority(Number(thread))).toBe(10);
    expect(getPriority()).toBe(before);
  },
);
