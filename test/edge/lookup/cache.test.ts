import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Cache, createCache, type Scope } from '#edge/lookup/cache.ts';

interface Value {
  text: string;
}

/** A source whose reads are answered by hand. */
class Source {
  readonly reads: {
    scope: string;
    keys: readonly string[];
    answer(values: Record<string, string>): void;
    fail(): void;
  }[] = [];
  nowMs = 1_000_000;
  isUnreachable = false;
  isStale = false;

  readonly load = (scope: Scope, keys: readonly string[]): Promise<Map<string, Value>> => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, Value>>();
    this.reads.push({
      scope: scope.id,
      keys,
      answer: (values) => resolve(new Map(Object.entries(values).map(([key, text]) => [key, { text }]))),
      fail: () => reject(new Error('away')),
    });
    return promise;
  };

  /** Answers the read that is under way, once it is. */
  async answer(values: Record<string, string>): Promise<void> {
    await setImmediate();
    this.reads.at(-1)!.answer(values);
    await setImmediate();
  }
}

const scope: Scope = { id: 'domain', prefix: '0/', epoch: 0 };
const other: Scope = { id: 'other', prefix: '1/', epoch: 0 };
let source: Source;
let cache: Cache<Value>;

function open(max = 100): Cache<Value> {
  return createCache<Value>({
    load: source.load,
    isUnreachable: () => source.isUnreachable,
    isStale: () => source.isStale,
    now: () => source.nowMs,
    max,
    maxBytes: 1_000_000,
    bytesOf: () => 0,
    maxAgeMs: 60_000,
  });
}

beforeEach(() => {
  source = new Source();
  cache = open();
});

/** Asks for a value, in this very tick. */
async function ask(key: string, of = scope): Promise<Value | null> {
  return cache.get(of, key);
}

/** Puts values into the cache. */
async function fill(values: Record<string, string>): Promise<void> {
  const reads = Object.keys(values).map((key) => ask(key));
  await source.answer(values);
  await Promise.all(reads);
}

describe('reading', () => {
  test('concurrent lookups of one key share one read, and later lookups need none', async () => {
    const answers = Array.from({ length: 500 }, () => ask('a'));
    await source.answer({ a: 'one' });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([{ text: 'one' }]));
    expect(source.reads).toHaveLength(1);
    expect(cache.get(scope, 'a')).toEqual({ text: 'one' });
  });

  test('the misses of one tick share one read for each scope', async () => {
    const answers = [ask('a'), ask('b'), ask('a', other)];
    await setImmediate();
    expect(source.reads.map(({ scope: id, keys }) => [id, keys])).toEqual([
      ['domain', ['a', 'b']],
      ['other', ['a']],
    ]);
    source.reads[0]!.answer({ a: '1', b: '2' });
    source.reads[1]!.answer({ a: '3' });
    expect(await Promise.all(answers)).toEqual([{ text: '1' }, { text: '2' }, { text: '3' }]);
  });

  test('further misses gather while reads are under way', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      void cache.get(scope, key);
      await setImmediate();
    }
    expect(source.reads.map((read) => read.keys)).toEqual([['a'], ['b']]);
    source.reads[0]!.answer({});
    await setImmediate();
    await setImmediate();
    expect(source.reads.at(-1)!.keys).toEqual(['c', 'd', 'e']);
  });

  test('a missing key is remembered for 300 ms', async () => {
    const answer = cache.get(scope, 'a');
    await source.answer({});
    expect(await answer).toBeNull();
    source.nowMs += 299;
    expect(cache.get(scope, 'a')).toBeNull();
    source.nowMs += 1;
    const again = cache.get(scope, 'a');
    await source.answer({ a: 'new' });
    expect(await again).toEqual({ text: 'new' });
  });

  test('a failed read fails its waiting lookups, and no later one', async () => {
    const answers = Promise.allSettled([ask('a'), ask('b')]);
    await setImmediate();
    source.reads[0]!.fail();
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = cache.get(scope, 'a');
    await source.answer({ a: 'now' });
    expect(await again).toEqual({ text: 'now' });
  });

  test('holds no more values than its limit', async () => {
    cache = open(3);
    await fill({ a: '1', b: '2', c: '3', d: '4' });
    expect(cache.get(scope, 'd')).toEqual({ text: '4' });
    expect(cache.get(scope, 'a')).toBeInstanceOf(Promise);
  });
});

describe('invalidation', () => {
  test('an invalidated value is read again alone', async () => {
    await fill({ a: 'old', b: 'kept' });
    cache.invalidate(scope, ['a', 'unknown']);
    await source.answer({ a: 'new' });
    expect(source.reads.at(-1)!.keys).toEqual(['a']);
    expect(cache.get(scope, 'a')).toEqual({ text: 'new' });
    expect(cache.get(scope, 'b')).toEqual({ text: 'kept' });
  });

  test('a read that began before the invalidation is not cached, and no later lookup joins it', async () => {
    const early = cache.get(scope, 'a');
    await setImmediate();
    cache.invalidate(scope, ['a']);
    const late = cache.get(scope, 'a');
    await setImmediate();
    expect(source.reads).toHaveLength(2);
    source.reads[1]!.answer({ a: 'new' });
    expect(await late).toEqual({ text: 'new' });
    source.reads[0]!.answer({ a: 'old' });
    expect(await early).toEqual({ text: 'old' });
    expect(cache.get(scope, 'a')).toEqual({ text: 'new' });
  });

  test.each([
    ['a scope', () => cache.invalidateScope(scope)],
    ['everything', () => cache.flush()],
  ])('the same when %s is invalidated', async (_what, invalidate) => {
    await fill({ b: 'cached' });
    const early = cache.get(scope, 'a');
    await setImmediate();
    invalidate();
    const late = [ask('a'), ask('b')];
    await source.answer({ a: 'new', b: 'newer' });
    expect(await Promise.all(late)).toEqual([{ text: 'new' }, { text: 'newer' }]);
    source.reads[1]!.answer({ a: 'old' });
    expect(await early).toEqual({ text: 'old' });
    expect(cache.get(scope, 'a')).toEqual({ text: 'new' });
    expect(cache.get(scope, 'b')).toEqual({ text: 'newer' });
  });

  test('invalidating one scope leaves others alone', async () => {
    await fill({ a: '1' });
    cache.invalidateScope(other);
    expect(cache.get(scope, 'a')).toEqual({ text: '1' });
  });

  test('a deleted link is gone, even if it was cached', async () => {
    await fill({ a: '1' });
    cache.invalidate(scope, ['a']);
    await source.answer({});
    expect(cache.get(scope, 'a')).toBeNull();
  });

  test('a value past its age is read again', async () => {
    await fill({ a: '1' });
    source.nowMs += 59_999;
    expect(cache.get(scope, 'a')).toEqual({ text: '1' });
    source.nowMs += 1;
    expect(cache.get(scope, 'a')).toBeInstanceOf(Promise);
    // A clock that was set back shows nothing of a value's age.
    source.nowMs -= 100_000;
    expect(cache.get(scope, 'a')).toBeInstanceOf(Promise);
  });
});

describe('without a source (4.13)', () => {
  test('a stale value is served only where the read fails', async () => {
    await fill({ a: 'old' });
    cache.flush();
    const answer = cache.get(scope, 'a');
    await setImmediate();
    source.reads.at(-1)!.fail();
    expect(await answer).toEqual({ text: 'old' });
    const again = cache.get(scope, 'a');
    await source.answer({ a: 'new' });
    expect(await again).toEqual({ text: 'new' });
  });

  test('an unreachable source is not asked for cached values', async () => {
    await fill({ a: 'old' });
    cache.flush();
    source.isUnreachable = true;
    expect(cache.get(scope, 'a')).toEqual({ text: 'old' });
    expect(source.reads).toHaveLength(1);
  });

  test('with a stale listener, values older than 300 ms are read again', async () => {
    await fill({ a: 'old' });
    source.isStale = true;
    source.nowMs += 299;
    expect(cache.get(scope, 'a')).toEqual({ text: 'old' });
    source.nowMs += 1;
    const answer = cache.get(scope, 'a');
    await source.answer({ a: 'new' });
    expect(await answer).toEqual({ text: 'new' });
  });
});
