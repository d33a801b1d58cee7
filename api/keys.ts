import { hashToken } from '../core/api-key.ts';
import type { Sql } from '../db/database.ts';
import { findKey, type KeyRow, touchKeys } from '../db/keys.ts';

/** Where API keys are looked up. */
export interface KeyDirectory {
  /** The live key with this value, or undefined. */
  find(value: string): Promise<KeyRow | undefined>;
  /** Writes what is not written yet of when keys were last used. */
  flush(): Promise<void>;
}

const touchIntervalMs = 10_000;

/** Looks keys up by their hash; notes their use in the background, every ten seconds at most. */
export function createKeyDirectory(db: Sql, onError: (error: unknown) => void): KeyDirectory {
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (used.size === 0) return;
    const ids = [...used];
    used.clear();
    await touchKeys(db, ids).catch(onError);
  }

  return {
    async find(value) {
      const key = await findKey(db, hashToken(value));
      if (key !== undefined) {
        used.add(key.id);
        timer ??= setTimeout(() => void flush(), touchIntervalMs).unref();
      }
      return key;
    },
    flush,
  };
}
