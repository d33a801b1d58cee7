import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { deriveKey } from '#core/secrets/derive-key.ts';

/** Groups of an IPv6 address that name a network: /64, which one client has to itself. */
const networkGroups = 4;

/**
 * Returns the function that gives a client a pseudonym by its address: a keyed hash, for IPv6 of the /64.
 * @param secretKey the key of the hash is derived from it.
 */
export function createClientName(secretKey: string): (address: string) => string {
  const key = deriveKey(secretKey, 'client name');
  return (address) => createHmac('sha256', key).update(clientNetwork(address)).digest('base64url');
}

/** The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts;
  return `${parts
    .slice(0, networkGroups)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
