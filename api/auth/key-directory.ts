import { LRUCache } from 'lru-cache';
import { hashToken } from '#core/organizations/api-key.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ApiKey } from '#db/entities/people.ts';
import { findKey, type KeyRow } from '#db/organizations/key-lookup.ts';
import type { KeyChange } from '#db/notifications/notify.ts';

/** Finds API keys by value, from memory where possible. */
export interface KeyDirectory {
  /** The live key with this value, or undefined. */
  find(value: string): Promise<KeyRow | undefined>;
  /** As `find`, but always reads the database. */
  findAgain(value: string): Promise<KeyRow | undefined>;
  /** Handles a notification of `channels.keys`. */
  onChange(payload: string): void;
  /** Empties the cache, because the listener may have missed notifications. */
  onGap(): void;
  /** Writes the pending `last used` times. */
  flush(): Promise<void>;
}

interface KeyDirectoryOptions {
  em: EntityManager;
  /** Whether the listener may miss notifications now; the cache is not used meanwhile. */
  isStale(): boolean;
  onError(error: unknown): void;
}

const rememberedKeys = 10_000;
const touchIntervalMs = 10_000;

/** Caches keys by their hash. Writes `last used` times in the background, at most every ten seconds. */
export function createKeyDirectory({ em, isStale, onError }: KeyDirectoryOptions): KeyDirectory {
  const cache = new LRUCache<string, KeyRow>({ max: rememberedKeys });
  // Counts invalidations. A row that was read before an invalidation is not cached after it.
  let epoch = 0;
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function read(hash: Buffer, name: string): Promise<KeyRow | undefined> {
    const epochBefore = epoch;
    const key = await findKey(em, hash);
    if (key === undefined) cache.delete(name);
    else if (epoch === epochBefore && !isStale()) cache.set(name, key);
    return key;
  }

  function touch(key: KeyRow | undefined): KeyRow | undefined {
    if (key !== undefined) {
      used.add(key.id);
      timer ??= setTimeout(() => void flush(), touchIntervalMs).unref();
    }
    return key;
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (used.size === 0) return;
    const ids = [...used];
    used.clear();
    await em.fork().getRepository(ApiKey).touch(ids).catch(onError);
  }

  return {
    async find(value) {
      const hash = hashToken(value);
      const name = hash.toString('hex');
      const known = isStale() ? undefined : cache.get(name);
      return touch(known ?? (await read(hash, name)));
    },
    async findAgain(value) {
      const hash = hashToken(value);
      return touch(await read(hash, hash.toString('hex')));
    },
    onChange(payload) {
      epoch += 1;
      const { keyHash, organizationId } = JSON.parse(payload) as KeyChange;
      if (keyHash !== undefined) cache.delete(keyHash);
      for (const [name, key] of cache.entries()) if (key.organizationId === organizationId) cache.delete(name);
    },
    onGap() {
      epoch += 1;
      cache.clear();
    },
    flush,
  };
}
