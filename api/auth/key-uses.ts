import { spellAddress } from '#core/http/address-ranges.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ApiKey } from '#db/entities/accounts/people.ts';

export type KeyUses = ReturnType<typeof createKeyUses>;

const writeEveryMs = 10_000;

/** Writes when and from where API keys were last used, in the background, at most every ten seconds: a call does not wait for it. */
export function createKeyUses(em: EntityManager, onError: (error: unknown) => void) {
  const addresses = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  /** Writes what was noted. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (addresses.size === 0) return;
    const used = new Map([...addresses].map(([id, address]) => [id, spellAddress(address)]));
    addresses.clear();
    await em.fork().getRepository(ApiKey).touch(used).catch(onError);
  }

  return {
    /** Notes that a key is used from an address. */
    note(keyId: string, address: string): void {
      addresses.set(keyId, address);
      timer ??= setTimeout(() => void flush(), writeEveryMs).unref();
    },
    flush,
  };
}
