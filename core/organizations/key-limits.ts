import { isWithin } from '#core/http/address-ranges.ts';

/** Limits of an API key besides its permissions; null: none. */
export interface KeyLimits {
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
  if (held.some(({ allowedAddresses }) => allowedAddresses === null)) return undefined;
  const ranges = held.flatMap(({ allowedAddresses }) => allowedAddresses ?? []);
  const isCovered = wanted.allowedAddresses?.every((range) => isWithin(range, ranges)) ?? false;
  return isCovered ? undefined : 'allowedAddresses';
}

function isNoLater(moment: Date | null, end: Date | null): boolean {
  return end === null || (moment !== null && moment <= end);
}
