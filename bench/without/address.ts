import type { ClientAddress } from '#edge/visitor/address.ts';

/** Takes every client for the same one. */
export function createClientAddress(): ClientAddress {
  return () => '192.0.2.1';
}
