import { describe, expect, it } from 'vitest';
import { tooMany } from '#core/errors/errors.ts';
import { createSharedLimit } from '#core/limits/shared-limit.ts';

/** Work that lasts until it is ended. */
function createWork(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { name, work: () => (log.push(name), promise), end: () => resolve(name), fail: () => reject(new Error(name)) };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a shared limit', () => {
  it('a new owner goes before the rest of another owner’s queue', async () => {
    const log: string[] = [];
    const limit = createSharedLimit({ atOnce: 1, ofOne: 1, waiting: 100 });
    const pieces = ['x0', 'x1', 'x2', 'x3', 'y0', 'y1', 'z0'].map((name) => createWork(log, name));
    const results = pieces.map(({ name, work }) => limit(name[0]!, work));
    for (const { end } of pieces) end();
    await Promise.all(results);
    expect(log.slice(0, 3)).toEqual(['x0', 'y0', 'z0']);
    expect(log.toSorted()).toEqual(pieces.map(({ name }) => name));
  });

  it('an owner with its share leaves room to others', async () => {
    const log: string[] = [];
    const limit = createSharedLimit({ atOnce: 3, ofOne: 2, waiting: 100 });
    const pieces = ['a0', 'a1', 'a2', 'b0', 'b1'].map((name) => createWork(log, name));
    const results = pieces.map(({ name, work }) => limit(name[0]!, work));
    await settle();
    expect(log).toEqual(['a0', 'a1', 'b0']);
    pieces[3]!.end();
    await settle();
    expect(log).toEqual(['a0', 'a1', 'b0', 'b1']);
    pieces[0]!.end();
    await settle();
    expect(log).toEqual(['a0', 'a1', 'b0', 'b1', 'a2']);
    for (const { end } of pieces) end();
    await Promise.all(results);
  });

  it('an owner with too many waiting pieces is refused with the given error, while others and continued work go on', async () => {
    const refusal = () => tooMany('Too many at once.', 7);
    const limit = createSharedLimit({ atOnce: 1, ofOne: 1, waiting: 10, waitingOfOne: 1, refusal });
    const pieces = ['x0', 'x1', 'x2', 'y0'].map((name) => createWork([], name));
    const [first, second, third, other] = pieces;
    const results = [limit('x', first!.work), limit('x', second!.work)];
    await expect(limit('x', third!.work)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Too many at once.',
      retryAfterSeconds: 7,
    });
    results.push(limit('x', third!.work, { isContinued: true }), limit('y', other!.work));
    for (const { end } of pieces) end();
    expect(await Promise.all(results)).toEqual(['x0', 'x1', 'x2', 'y0']);
    expect(await limit('x', async () => 'again')).toBe('again');
  });

  it('a shared limit refuses a piece where too many wait in all', async () => {
    const limit = createSharedLimit({ atOnce: 1, ofOne: 1, waiting: 1 });
    const pieces = ['x0', 'y0', 'z0'].map((name) => createWork([], name));
    const results = [limit('x', pieces[0]!.work), limit('y', pieces[1]!.work)];
    await expect(limit('z', pieces[2]!.work)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    for (const { end } of pieces) end();
    expect(await Promise.all(results)).toEqual(['x0', 'y0']);
  });

  it('an owner rests after a piece of work, while its answer is there at once and others go on', async () => {
    const log: string[] = [];
    const limit = createSharedLimit({
      atOnce: 1,
      ofOne: 1,
      waiting: 5,
      restMs: (owner) => (owner === 'x' ? 60_000 : 0),
    });
    const pieces = ['x0', 'x1', 'y0', 'y1'].map((name) => createWork(log, name));
    for (const { end } of pieces) end();
    const results = pieces.map(({ name, work }) => limit(name[0]!, work));
    expect(await Promise.all([results[0], results[2], results[3]])).toEqual(['x0', 'y0', 'y1']);
    expect(log).toEqual(['x0', 'y0', 'y1']);
  });

  it('a failed piece makes room for the next one', async () => {
    const log: string[] = [];
    const limit = createSharedLimit({ atOnce: 1, ofOne: 1, waiting: 5 });
    const pieces = ['a', 'b'].map((name) => createWork(log, name));
    const [first, second] = pieces.map(({ work }) => limit('x', work));
    pieces[0]!.fail();
    await expect(first).rejects.toThrow('a');
    pieces[1]!.end();
    expect(await second).toBe('b');
  });
});
