import { LRUCache } from 'lru-cache';
import { copyText } from '#core/lib/text/copy-text.ts';

/** A group of keys that is read by one statement and can be marked for revalidation as a whole. */
export interface Scope {
  readonly id: string;
  /** Begins the keys of this scope; no two scopes' prefixes are the beginning of one another. */
  readonly prefix: string;
  /** Counts how often the whole scope was invalidated. */
  epoch: number;
}

interface CacheOptions<V> {
  /** Reads values; keys that do not exist are absent from the result. */
  load(scope: Scope, keys: readonly string[]): Promise<Map<string, V>>;
  /** Whether the source is known to be unreachable: then cached values are used even if out of date. */
  isUnreachable(): boolean;
  /** Whether invalidations may be missed: then values older than 300 ms are read again. */
  isStale(): boolean;
  /** Unix time in milliseconds. */
  now(): number;
  /** Most values that are kept. */
  max: number;
  /** Most bytes that they may take, keys included; `bytesOf` estimates one value. */
  maxBytes: number;
  bytesOf(value: V): number;
  /** An older value is read again, in case an invalidation was lost. */
  maxAgeMs: number;
}

/** A cache of database rows by key, in scopes. */
export interface Cache<V> {
  /**
   * The value, or null where there is none; a promise where it must be read first.
   * @param refuse asked before a key is read of which no value is in memory, even an outdated one: why it is not to be read.
   * @throws (rejects) what `refuse` returned; what `load` threw, when nothing is cached.
   */
  get(scope: Scope, key: string, refuse?: () => Error | undefined): V | null | Promise<V | null>;
  /** Reads the cached values of these keys again now. */
  invalidate(scope: Scope, keys: readonly string[]): void;
  /** Every value of the scope is read again at its next use. */
  invalidateScope(scope: Scope): void;
  /** Every value is read again at its next use. */
  flush(): void;
  /**
   * `hits`: lookups that the cache answered since its start; `misses`: those that waited for the database. `size`: cached values;
   * `bytes`: their memory.
   */
  counts(): Record<'hits' | 'misses' | 'size' | 'bytes', number>;
}

interface Entry<V> {
  value: V;
  /** Unix time in milliseconds at which its reading began. */
  readAtMs: number;
  /** Epoch of the scope, plus flushes, when its reading began. */
  epoch: number;
}

/** A read that is under way, or waits for its turn. */
interface Flight<V> extends PromiseWithResolvers<V | null> {
  readonly scope: Scope;
  readonly key: string;
}

const negativeMs = 300;
const maxNegative = 10_000;
const maxNegativeBytes = 4 * 1_024 * 1_024;
// Of a key and its entry, beside the key's characters, which take up to two bytes each.
const slotBytes = 130;
// Invalidations may be missed: a value this old is still within the second that a change may take (4.13).
const deafAgeMs = 300;
// A load holds all its values in memory at once: 8 MiB of the largest links (`core/links/size`).
const keysPerLoad = 64;
// Further misses gather while these are under way.
const maxLoads = 2;

/**
 * A bounded cache with single flights, misses of one tick gathered into one load per scope, short-lived negative entries,
 * and stale values served only when the read fails.
 */
export function createCache<V extends object>(options: CacheOptions<V>): Cache<V> {
  const { load, isUnreachable, isStale, now, max, maxBytes, bytesOf, maxAgeMs } = options;
  const entries = new LRUCache<string, Entry<V>>({
    max,
    maxSize: maxBytes,
    sizeCalculation: ({ value }, id) => slotBytes + 2 * id.length + bytesOf(value),
  });
  /** Keys that do not exist, and until when (Unix time in milliseconds) that is believed. */
  const missing = new LRUCache<string, number>({
    max: maxNegative,
    maxSize: maxNegativeBytes,
    sizeCalculation: (_untilMs, id) => slotBytes + 2 * id.length,
  });
  /** By prefix and key. One that was invalidated is taken out: its callers get its result, which is not kept. */
  const flights = new Map<string, Flight<V>>();
  const waiting = new Map<Scope, Flight<V>[]>();
  let flushes = 0;
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
    const id = scope.prefix + key;
    const known = flights.get(id);
    if (known !== undefined) return known.promise;
    const flight: Flight<V> = { scope, key, ...Promise.withResolvers<V | null>() };
    flights.set(id, flight);
    const queue = waiting.get(scope);
    if (queue === undefined) waiting.set(scope, [flight]);
    else queue.push(flight);
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
        const batch = queue.splice(0, keysPerLoad);
        if (queue.length === 0) waiting.delete(scope);
        void land(scope, batch);
      }
      schedule();
    });
  }

  async function land(scope: Scope, batch: readonly Flight<V>[]): Promise<void> {
    loads += 1;
    const readAtMs = now();
    const epoch = scope.epoch + flushes;
    const keys = batch.map((flight) => flight.key);
    try {
      const values = await load(scope, keys);
      for (const flight of batch) {
        const value = values.get(flight.key) ?? null;
        if (leave(flight)) store(copyText(scope.prefix + flight.key), value, readAtMs, epoch);
        flight.resolve(value);
      }
    } catch (error) {
      for (const flight of batch) {
        leave(flight);
        flight.reject(error);
      }
    } finally {
      loads -= 1;
      schedule();
    }
  }

  /** Takes a flight out. @returns false where it was invalidated before. */
  function leave(flight: Flight<V>): boolean {
    const id = flight.scope.prefix + flight.key;
    return flights.get(id) === flight && flights.delete(id);
  }

  function store(id: string, value: V | null, readAtMs: number, epoch: number): void {
    if (value === null) {
      entries.delete(id);
      missing.set(id, now() + negativeMs);
    } else entries.set(id, { value, readAtMs, epoch });
  }

  /** The value where it needs no read; undefined where it does. */
  function recall(scope: Scope, key: string): V | null | undefined {
    const id = scope.prefix + key;
    const entry = entries.get(id);
    if (entry !== undefined) {
      if (!isUnreachable() && !isFresh(entry, scope)) return undefined;
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
    get(scope, key, refuse) {
      const known = recall(scope, key);
      if (known !== undefined) return known;
      const entry = entries.peek(scope.prefix + key);
      const refusal = entry === undefined ? refuse?.() : undefined;
      if (refusal !== undefined) return Promise.reject(refusal);
      misses += 1;
      const flight = fly(scope, key);
      return entry === undefined ? flight : flight.catch(() => entry.value);
    },
    invalidate(scope, keys) {
      for (const key of keys) {
        const id = scope.prefix + key;
        flights.delete(id);
        missing.delete(id);
        const entry = entries.peek(id);
        if (entry === undefined) continue;
        entry.epoch = Number.NEGATIVE_INFINITY;
        // The value is in use: read now, the next visitor does not wait, even if the database becomes unreachable.
        fly(scope, key).catch(() => undefined);
      }
    },
    invalidateScope(scope) {
      scope.epoch += 1;
      for (const [id, flight] of flights) if (flight.scope === scope) flights.delete(id);
    },
    flush() {
      flushes += 1;
      flights.clear();
    },
    counts: () => ({ hits, misses, size: entries.size, bytes: entries.calculatedSize }),
  };
}
