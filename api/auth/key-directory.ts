import { LRUCache } from 'lru-cache';
import { hashToken } from '#core/organizations/api-key.ts';
import type { Sql } from '#db/connection/database.ts';
import { findKey, type KeyRow, touchKeys } from '#db/organizations/key-lookup.ts';
import type { KeyChange } from '#db/connection/notify.ts';

/** Where API keys are looked up. */
export interface KeyDirectory {
  /** The live key with this value, or undefined; from memory where it is known. */
  find(value: string): Promise<KeyRow | undefined>;
  /** As `find`, but asks the database: what was remembered is out of date. */
  findAgain(value: string): Promise<KeyRow | undefined>;
  /** Takes a payload of `channels.keys`. */
  onChange(payload: string): void;
  /** Forgets everything, since notifications may have been missed. */
  onGap(): void;
  /** Writes what is not written yet of when keys were last used. */
  flush(): Promise<void>;
}

interface KeyDirectoryOptions {
  sql: Sql;
  /** Whether notifications may be missed at this moment: then nothing is taken from memory. */
  isDeaf(): boolean;
  onError(error: unknown): void;
}

const rememberedKeys = 10_000;
const touchIntervalMs = 10_000;

/** Looks keys up by their hash, in memory first; notes their use in the background, every ten seconds at most. */
export function createKeyDirectory({ sql, isDeaf, onError }: KeyDirectoryOptions): KeyDirectory {
  const cache = new LRUCache<string, KeyRow>({ max: rememberedKeys });
  // Grows with each change: what was read before one is not remembered after it.
  let epoch = 0;
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function read(hash: Buffer, name: string): Promise<KeyRow | undefined> {
    const epochBefore = epoch;
    const key = await findKey(sql, hash);
    if (key === undefined) cache.delete(name);
    else if (epoch === epochBefore && !isDeaf()) cache.set(name, key);
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
    await touchKeys(sql, ids).catch(onError);
  }

  return {
    async find(value) {
      const hash = hashToken(value);
      const name = hash.toString('hex');
      const known = isDeaf() ? undefined : cache.get(name);
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
