import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AddressPolicy } from './address.ts';
import { codeOf, GuardedHttpError } from './error.ts';

/**
 * Finds the addresses of a host, IPv4 first.
 * @param hostname normalized by the URL parser, without the brackets of IPv6.
 * @throws GuardedHttpError `refused-address` where any address may not be called, `dns` without any address.
 */
export type HostResolver = (hostname: string) => Promise<LookupAddress[]>;

const queryTimeoutMs = 2_000;
const tries = 2;

/**
 * Resolves by DNS, not by getaddrinfo: that one blocks threads of libuv's small pool, so one customer's silent name server would
 * delay all others.
 * @param dnsServers `address:port`; empty: the system's.
 */
export function createHostResolver(dnsServers: readonly string[], allows: AddressPolicy): HostResolver {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);

  return async (hostname) => {
    const literal = isIP(hostname);
    if (literal !== 0) return onlyAllowed([{ address: hostname, family: literal }], allows);
    if (isLocalhost(hostname)) return localhost(allows);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [...found(v4, 4), ...found(v6, 6)];
    if (addresses.length > 0) return onlyAllowed(addresses, allows);
    const cause: unknown = v4.status === 'rejected' ? v4.reason : undefined;
    throw new GuardedHttpError('dns', `The name of the host has no address (${codeOf(cause) ?? 'no records'}).`, {
      cause,
    });
  };
}

function found(outcome: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return outcome.status === 'fulfilled' ? outcome.value.map((address) => ({ address, family })) : [];
}

function onlyAllowed(addresses: LookupAddress[], allows: AddressPolicy): LookupAddress[] {
  // One address that is not public refuses all: Node chooses which one it connects to.
  if (addresses.every(({ address }) => allows(address))) return addresses;
  throw refusedAddress();
}

/** Names of this machine, which no name server is asked about (RFC 6761 §6.3). */
function isLocalhost(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname);
}

function localhost(allows: AddressPolicy): LookupAddress[] {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ].filter(({ address }) => allows(address));
  if (addresses.length > 0) return addresses;
  throw refusedAddress();
}

export function refusedAddress(): GuardedHttpError {
  return new GuardedHttpError('refused-address', 'The host is not at a public address.');
}
