import { isWithin } from '#core/http/address-ranges.ts';
import type { Reach } from './reach.ts';

/** Limits of an API key besides its permissions; null: none. */
export interface KeyLimits extends Reach {
  /** The key is refused from this moment on. */
  expiresAt: Date | null;
  /** Addresses and ranges, as `readAddressRange` spells them, from which it may be used. */
  allowedAddresses: readonly string[] | null;
}

/**
 * The first limit of `wanted` that goes beyond every one of `held`; undefined: none does.
 * @param held limits of the asker's key, and the present ones of the key to change: these need no grant.
 */
export function findWiderLimit(wanted: KeyLimits, held: readonly KeyLimits[]): keyof KeyLimits | undefined {
  if (!held.some(({ expiresAt }) => isNoLater(wanted.expiresAt, expiresAt))) return 'expiresAt';
  const has = (id: string, ids: readonly string[]): boolean => ids.includes(id);
  const covers = { allowedAddresses: isWithin, folderIds: has, domainIds: has };
  return (['allowedAddresses', 'folderIds', 'domainIds'] as const).find((name) => {
    if (held.some((limits) => limits[name] === null)) return false;
    const all = held.flatMap((limits) => limits[name] ?? []);
    return wanted[name]?.every((one) => covers[name](one, all)) !== true;
  });
}

function isNoLater(moment: Date | null, end: Date | null): boolean {
  return end === null || (moment !== null && moment <= end);
}
