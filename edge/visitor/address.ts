import { BlockList, isIP, isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { spellAddress } from '#core/http/address-ranges.ts';

/** Finds a client's address by its socket's address and the X-Forwarded-For header. */
type ClientAddress = (socketAddress: string | undefined, forwardedFor: string | undefined) => string;

/** The other end of a connection: nearly always one of a few proxies, so it is cached. */
interface Peer {
  readonly address: string;
  readonly isTrusted: boolean;
}

const maxPeers = 1_000;
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Client addresses come from the socket; where that is a trusted proxy, from the right-most entry of X-Forwarded-For that
 * is none (11.5).
 * @param trustedProxies addresses or CIDR ranges.
 * @param onIgnored is called where the header comes from a peer that is no trusted proxy.
 */
export function createClientAddress(
  trustedProxies: readonly string[],
  onIgnored?: (peer: string) => void,
): ClientAddress {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [network = '', bits] = entry.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    trusted.addSubnet(network, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
  }
  const isTrusted = (address: string): boolean => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  const peers = new LRUCache<string, Peer>({ max: maxPeers });

  function readPeer(socketAddress: string): Peer {
    const address = plainAddress(socketAddress) ?? '';
    const peer = { address, isTrusted: address !== '' && isTrusted(address) };
    peers.set(socketAddress, peer);
    return peer;
  }

  return (socketAddress = '', forwardedFor) => {
    if (trustedProxies.length === 0) {
      if (forwardedFor !== undefined) onIgnored?.(socketAddress);
      return plainAddress(socketAddress) ?? '';
    }
    const peer = peers.get(socketAddress) ?? readPeer(socketAddress);
    if (forwardedFor === undefined) return peer.address;
    if (!peer.isTrusted) {
      onIgnored?.(peer.address);
      return peer.address;
    }
    // The right-most entry is the one that the peer itself has added.
    let { address } = peer;
    for (let end = forwardedFor.length; end >= 0;) {
      const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
      const next = plainAddress(forwardedFor.slice(comma + 1, end).trim());
      // Entries to the left of an invalid one cannot be trusted.
      if (next === undefined) break;
      address = next;
      // An untrusted entry ends the chain of proxies: it is the client.
      if (comma === -1 || !isTrusted(address)) break;
      end = comma;
    }
    return address;
  };
}

/** An address without brackets and port in its one usual spelling, an IPv4-mapped one as IPv4; undefined where it is none. */
function plainAddress(text: string): string | undefined {
  let address = text;
  if (address.startsWith('[')) address = address.slice(1, Math.max(1, address.indexOf(']')));
  else if (isIP(address) === 0) address = address.split(':', 1)[0]!;
  address = mapped.exec(address)?.[1] ?? address;
  const family = isIP(address);
  if (family === 0) return undefined;
  // Proxies differ in how they spell IPv6, and a visitor may come through several.
  return family === 4 ? address : spellAddress(address.split('%', 1)[0]!);
}
