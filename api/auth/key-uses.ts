import { spellAddress } from '#core/http/address-ranges.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ApiKey } from '#db/entities/accounts/people.ts';

/** Writes when and from where API keys were last used. */
export interface KeyUses {
  /** Notes that a key is used from an address. */
  note(keyId: string, address: string): void;
  /** Writes what was noted. */
  flush(): Promise<void>;
}

const writeEveryMs = 10_000;

/** Writes uses in the background, at most every ten seconds: a call does not wait for them. */
export function createKeyUses(em: EntityManager, onError: (error: unknown) => void): KeyUses {
  const addresses = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (addresses.size === 0) return;
    const used = new Map([...addresses].map(([id, address]) => [id, spellAddress(address)]));
    addresses.clear();
    await em.fork().getRepository(ApiKey).touch(used).catch(onError);
  }

  return {
    note(keyId, address) {
      addresses.set(keyId, address);
      timer ??= setTimeout(() => void flush(), writeEveryMs).unref();
    },
    flush,
  };
}
