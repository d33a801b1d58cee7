import { LRUCache } from 'lru-cache';
import { createAddressTest, spellAddress } from '#core/http/address-ranges.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import { type Reach, toReach } from '#core/organizations/reach.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ApiKey } from '#db/entities/people.ts';
import { findKey, type KeyRow } from '#db/organizations/key-lookup.ts';
import type { KeyChange } from '#db/notifications/notify.ts';

/** A key with its limits, ready to be checked. */
export interface KnownKey extends KeyRow {
  /** Whether it may be used from an address. */
  isAllowedFrom(address: string): boolean;
  /** The folders and domains to which it is restricted; undefined: none. */
  reach: Reach | undefined;
}

/** Finds API keys by value, from memory where possible. */
export interface KeyDirectory {
  /** The live key with this value, or undefined. Its end may have passed (`endsAt`). */
  find(value: string): Promise<KnownKey | undefined>;
  /** As `find`, but always reads the database. */
  findAgain(value: string): Promise<KnownKey | undefined>;
  /** Notes that a key is used from an address. */
  noteUse(keyId: string, address: string): void;
  /** Handles a notification of `channels.keys`. */
  onChange(payload: string): void;
  /** Empties the cache, because the listener may have missed notifications. */
  onGap(): void;
  /** Writes the pending times and addresses of last uses. */
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

/** Caches keys by their hash. Writes when and from where keys were last used in the background, at most every ten seconds. */
export function createKeyDirectory({ em, isStale, onError }: KeyDirectoryOptions): KeyDirectory {
  const cache = new LRUCache<string, KnownKey>({ max: rememberedKeys });
  // Counts invalidations. A row that was read before an invalidation is not cached after it.
  let epoch = 0;
  // Addresses of the last uses by key.
  const used = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  async function read(hash: Buffer, name: string): Promise<KnownKey | undefined> {
    const epochBefore = epoch;
    const row = await findKey(em, hash);
    if (row === undefined) {
      cache.delete(name);
      return undefined;
    }
    const isAllowedFrom = row.allowedAddresses === null ? () => true : createAddressTest(row.allowedAddresses);
    const key = { ...row, isAllowedFrom, reach: toReach(row) };
    if (epoch === epochBefore && !isStale()) cache.set(name, key);
    return key;
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (used.size === 0) return;
    const addresses = new Map([...used].map(([id, address]) => [id, spellAddress(address)]));
    used.clear();
    await em.fork().getRepository(ApiKey).touch(addresses).catch(onError);
  }

  return {
    async find(value) {
      const hash = hashToken(value);
      const name = hash.toString('hex');
      return (isStale() ? undefined : cache.get(name)) ?? read(hash, name);
    },
    findAgain(value) {
      const hash = hashToken(value);
      return read(hash, hash.toString('hex'));
    },
    noteUse(keyId, address) {
      used.set(keyId, address);
      timer ??= setTimeout(() => void flush(), touchIntervalMs).unref();
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
