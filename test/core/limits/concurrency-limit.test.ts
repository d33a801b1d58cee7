import { describe, expect, it } from 'vitest';
import { createConcurrencyLimit } from '#core/limits/concurrency-limit.ts';

/** Work that lasts until it is ended. */
function createWork(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { work: () => (log.push(name), promise), end: () => resolve(name), fail: () => reject(new Error(name)) };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a concurrency limit', () => {
  it('runs as many pieces as it has slots, the others in order', async () => {
    const log: string[] = [];
    const limit = createConcurrencyLimit({ slots: 2, waiting: 2 });
    const pieces = ['a', 'b', 'c', 'd'].map((name) => createWork(log, name));
    const results = pieces.map(({ work }) => limit.run(work));
    await settle();
    expect(log).toEqual(['a', 'b']);
    pieces[1]!.end();
    await settle();
    expect(log).toEqual(['a', 'b', 'c']);
    for (const { end } of pieces) end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses pieces beyond the queue, and accepts pieces again later', async () => {
    const limit = createConcurrencyLimit({ slots: 1, waiting: 1 });
    const pieces = ['a', 'b', 'c'].map((name) => createWork([], name));
    const first = limit.run(pieces[0]!.work);
    const second = limit.run(pieces[1]!.work);
    await expect(limit.run(pieces[2]!.work)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    for (const { end } of pieces) end();
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
    expect(await limit.run(pieces[2]!.work)).toBe('c');
  });

  it('frees the slot of a failed piece', async () => {
    const limit = createConcurrencyLimit({ slots: 1, waiting: 5 });
    const pieces = ['a', 'b'].map((name) => createWork([], name));
    const [first, second] = pieces.map(({ work }) => limit.run(work));
    pieces[0]!.fail();
    await expect(first).rejects.toThrow('a');
    pieces[1]!.end();
    expect(await second).toBe('b');
  });
});
