import ipaddr from 'ipaddr.js';
import { isWithin } from '#core/http/address-ranges.ts';

/** Whether an address, in any notation, may be called: it is public unicast or in an allowed range. */
export type AddressPolicy = (address: string) => boolean;

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
// ipaddr.js reads the deprecated IPv4-compatible form as a mapped address.
const ipv4Compatible = /^::\d+\.[\d.]+$/;
// A public address that Azure's hosts answer inside their network (metadata, DNS).
const hostServices = new Set(['168.63.129.16']);

/**
 * Allows public unicast addresses. An IPv6 address that wraps an IPv4 address (mapped, or NAT64's 64:ff9b::/96) counts as the
 * IPv4 address. 6to4, Teredo and other transition ranges are refused: no receiver uses them.
 * @param allowedCidrs addresses or ranges allowed besides public ones.
 */
export function createAddressPolicy(allowedCidrs: readonly string[]): AddressPolicy {
  return (text) => {
    if (!ipaddr.isValid(text) || ipv4Compatible.test(text)) return false;
    const address = unwrap(ipaddr.process(text));
    return isPublic(address) || isWithin(address.toString(), allowedCidrs);
  };
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv6 && address.match(nat64)) return new ipaddr.IPv4(address.toByteArray().slice(12));
  return address;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(globalUnicast) : !hostServices.has(address.toString());
}
