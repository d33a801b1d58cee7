import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const heap = new URL('../../../adapters/machine/heap.ts', import.meta.url).href;
const thread = `
  const { collectStartGarbage } = await import(${JSON.stringify(heap)});
  for (let turn = 0; turn < 15; turn += 1) collectStartGarbage();
`;

test(
  'threads that start at the same time collect their garbage without an error',
  { tags: ['slow', 'nightly'] },
  async () => {
    const threads = Array.from({ length: 4 }, () => {
      const source = new URL(`data:text/javascript,${encodeURIComponent(thread)}`);
      return new Worker(source, { execArgv: ['--no-warnings'] });
    });
    const ends = await Promise.all(threads.map((worker) => once(worker, 'exit')));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0]);
  },
);
