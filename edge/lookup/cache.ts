import { createBoundedCache } from '#edge/bounded-cache.ts';

/** A group of keys that is read by one statement and can be marked for revalidation as a whole. */
export interface Scope {
  readonly id: string;
  /** Begins the keys of this scope; no two scopes' prefixes are the beginning of one another. */
  readonly prefix: string;
  /** Counts how often the whole scope was invalidated. */
  epoch: number;
}

/** Settings of `createCache`. */
export interface CacheOptions<V> {
  /** Reads values; keys that do not exist are absent from the result. */
  load(scope: Scope, keys: readonly string[]): Promise<Map<string, V>>;
  /** Whether the source is known to be away: then what is cached is used as it is. */
  isAway(): boolean;
  /** Whether invalidations may be missed: then what is cached is revalidated. */
  isStale(): boolean;
  /** Unix time in milliseconds. */
  now(): number;
  /** How many values are kept. */
  max: number;
  /** How many bytes they may take, keys included, and what one takes, about. */
  maxBytes: number;
  bytesOf(value: V): number;
  /** The net below invalidations: an older value is read again. */
  maxAgeMs: number;
}

/** A cache of what a database holds. */
export interface Cache<V> {
  /**
   * The value, or null where there is none; a promise where it must be read first.
   * @throws (rejects) what `load` threw, when nothing is cached.
   */
  get(scope: Scope, key: string): V | null | Promise<V | null>;
  /** What `get` would give without waiting; undefined where it would wait. */
  recall(scope: Scope, key: string): V | null | undefined;
  /** Whether there is a value in memory, be it out of date. */
  holds(scope: Scope, key: string): boolean;
  /** What is cached of these keys is read again now. */
  invalidate(scope: Scope, keys: readonly string[]): void;
  /** What is cached of the scope is read again when it is next asked for. */
  invalidateScope(scope: Scope): void;
  /** Everything is read again when it is next asked for. */
  flush(): void;
  /** Questions answered from memory and not, so far, and how many values are kept, in how many bytes. */
  counts(): CacheCounts;
}

/** How a cache has done. `misses` are questions that had to wait for the source. */
export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
  readonly size: number;
  readonly bytes: number;
}

interface Entry<V> {
  value: V;
  /** Unix time in milliseconds at which its reading began. */
  readAtMs: number;
  /** Epoch of the scope, plus flushes, when its reading began. */
  epoch: number;
}

interface Flight<V> {
  readonly key: string;
  readonly promise: Promise<V | null>;
  resolve(value: V | null): void;
  reject(error: unknown): void;
  /** Whether the key, its scope or everything was invalidated since the flight began: its result is not kept. */
  isOutdated: boolean;
}

const negativeMs = 300;
const maxNegative = 10_000;
const maxNegativeBytes = 4 * 1_024 * 1_024;
// Invalidations may be missed: a value this old is still within the second that a change may take (4.13).
const deafAgeMs = 300;
const maxKeysPerLoad = 500;
// A load asks for as many keys as values of late would fit into this, which is in memory at once.
const bytesPerLoad = 8 * 1_024 * 1_024;
// Light values are believed in after some twenty loads of them, heavy ones at once.
const lighterBy = 0.1;
// Further misses gather while these are under way.
const maxLoads = 2;

/**
 * A bounded cache with single flights, misses of one tick gathered into one load per scope, short-lived negative entries,
 * and stale values served only when the read fails.
 */
export function createCache<V extends object>(options: CacheOptions<V>): Cache<V> {
  const { load, isAway, isStale, now, max, maxBytes, bytesOf, maxAgeMs } = options;
  const entries = createBoundedCache<Entry<V>>({ max, maxBytes, bytesOf: ({ value }) => bytesOf(value) });
  /** Keys that do not exist, and until when (Unix time in milliseconds) that is believed. */
  const missing = createBoundedCache<number>({ max: maxNegative, maxBytes: maxNegativeBytes });
  const flights = new Map<Scope, Map<string, Flight<V>>>();
  const waiting = new Map<Scope, Flight<V>[]>();
  let flushes = 0;
  let usualBytes = 0;
  let loads = 0;
  let isScheduled = false;
  let hits = 0;
  let misses = 0;

  function isFresh(entry: Entry<V>, scope: Scope): boolean {
    if (entry.epoch !== scope.epoch + flushes) return false;
    const ageMs = now() - entry.readAtMs;
    return ageMs >= 0 && ageMs < maxAgeMs && (ageMs < deafAgeMs || !isStale());
  }

  function fly(scope: Scope, key: string): Promise<V | null> {
    const known = flights.get(scope)?.get(key);
    if (known !== undefined) return known.promise;
    const flight: Flight<V> = { key, isOutdated: false, ...Promise.withResolvers<V | null>() };
    getOrAdd(flights, scope, () => new Map<string, Flight<V>>()).set(key, flight);
    getOrAdd(waiting, scope, () => []).push(flight);
    schedule();
    return flight.promise;
  }

  function schedule(): void {
    if (isScheduled || loads >= maxLoads || waiting.size === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      for (const [scope, queue] of waiting) {
        if (loads >= maxLoads) return;
        const batch = queue.splice(0, keysPerLoad());
        if (queue.length === 0) waiting.delete(scope);
        void land(scope, batch);
      }
      schedule();
    });
  }

  function keysPerLoad(): number {
    return Math.max(1, Math.min(maxKeysPerLoad, Math.floor(bytesPerLoad / Math.max(1, usualBytes))));
  }

  /** Takes note of what values take. */
  function weigh(values: ReadonlyMap<string, V>): void {
    if (values.size === 0) return;
    let bytes = 0;
    for (const value of values.values()) bytes += bytesOf(value);
    const average = bytes / values.size;
    usualBytes = Math.max(average, usualBytes + (average - usualBytes) * lighterBy);
  }

  async function land(scope: Scope, batch: readonly Flight<V>[]): Promise<void> {
    loads += 1;
    const readAtMs = now();
    const epoch = scope.epoch + flushes;
    const keys = batch.map((flight) => flight.key);
    try {
      const values = await load(scope, keys);
      weigh(values);
      for (const flight of batch) {
        const value = values.get(flight.key) ?? null;
        if (!flight.isOutdated) store(scope.prefix + flight.key, value, readAtMs, epoch);
        flight.resolve(value);
      }
    } catch (error) {
      for (const flight of batch) flight.reject(error);
    } finally {
      loads -= 1;
      const ofScope = flights.get(scope);
      for (const flight of batch) if (ofScope?.get(flight.key) === flight) ofScope.delete(flight.key);
      if (ofScope?.size === 0) flights.delete(scope);
      schedule();
    }
  }

  function store(id: string, value: V | null, readAtMs: number, epoch: number): void {
    if (value === null) {
      entries.delete(id);
      missing.set(id, now() + negativeMs);
    } else entries.set(id, { value, readAtMs, epoch });
  }

  /** Lets flights under way end, but keeps neither their results nor lets anyone join them. */
  function outdate(scope: Scope): void {
    for (const flight of flights.get(scope)?.values() ?? []) flight.isOutdated = true;
    flights.delete(scope);
  }

  function recall(scope: Scope, key: string): V | null | undefined {
    const id = scope.prefix + key;
    const entry = entries.get(id);
    if (entry !== undefined) {
      if (!isAway() && !isFresh(entry, scope)) return undefined;
      hits += 1;
      return entry.value;
    }
    const missingUntilMs = missing.get(id);
    if (missingUntilMs === undefined) return undefined;
    const leftMs = missingUntilMs - now();
    if (leftMs > 0 && leftMs <= negativeMs) {
      hits += 1;
      return null;
    }
    missing.delete(id);
    return undefined;
  }

  return {
    recall,
    holds: (scope, key) => entries.peek(scope.prefix + key) !== undefined,
    get(scope, key) {
      const known = recall(scope, key);
      if (known !== undefined) return known;
      misses += 1;
      const entry = entries.peek(scope.prefix + key);
      const flight = fly(scope, key);
      return entry === undefined ? flight : flight.catch(() => entry.value);
    },
    invalidate(scope, keys) {
      const ofScope = flights.get(scope);
      for (const key of keys) {
        const flight = ofScope?.get(key);
        if (flight !== undefined) {
          flight.isOutdated = true;
          ofScope!.delete(key);
        }
        missing.delete(scope.prefix + key);
        const entry = entries.peek(scope.prefix + key);
        if (entry === undefined) continue;
        entry.epoch = Number.NEGATIVE_INFINITY;
        // It is in use: who asks next need not wait, and has it even if the database goes away.
        fly(scope, key).catch(() => undefined);
      }
    },
    invalidateScope(scope) {
      scope.epoch += 1;
      outdate(scope);
    },
    flush() {
      flushes += 1;
      for (const scope of flights.keys()) outdate(scope);
    },
    counts: () => ({ hits, misses, size: entries.size, bytes: entries.bytes }),
  };
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
