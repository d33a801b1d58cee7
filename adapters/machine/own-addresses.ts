import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

// Addresses change when a laptop joins another network.
const maxAgeMs = 10_000;

/** Sources of addresses and time; tests replace them. */
interface OwnAddressesOptions {
  interfaces?(): ReturnType<typeof networkInterfaces>;
  /** A clock in milliseconds. */
  now?(): number;
}

/**
 * Returns the function that tells whether the host of a URL, an IPv6 address in brackets, is a loopback address or another
 * address of this machine.
 */
export function createOwnAddresses(options: OwnAddressesOptions = {}): (host: string) => boolean {
  const { interfaces = networkInterfaces, now = () => performance.now() } = options;
  let known = new BlockList();
  let readAtMs = Number.NEGATIVE_INFINITY;

  function read(): BlockList {
    if (now() - readAtMs < maxAgeMs) return known;
    readAtMs = now();
    known = new BlockList();
    known.addSubnet('127.0.0.0', 8);
    known.addAddress('::1', 'ipv6');
    // Where a server listens on all addresses, its log names it by these.
    known.addAddress('0.0.0.0');
    known.addAddress('::', 'ipv6');
    for (const { address, family } of Object.values(interfaces()).flatMap((list) => list ?? []))
      known.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
    return known;
  }

  return (host) => {
    const address = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
    const version = isIP(address);
    return version !== 0 && read().check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

// Interfaces of containers and virtual machines: no phone reaches them.
const virtual = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|utun|tun|tap|cni|flannel|podman|lxc|bridge)/;

/** The address of this machine on its network, IPv4 before IPv6, private ranges first; undefined: it is on none. */
export function findLanAddress(
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): string | undefined {
  const candidates = Object.entries(interfaces)
    .flatMap(([name, list]) => (list ?? []).map((entry) => ({ ...entry, name })))
    .filter(
      ({ name, internal, address }) => !internal && !virtual.test(name) && !/^(?:169\.254\.|fe80:)/i.test(address),
    );
  const rank = ({ family, address }: (typeof candidates)[number]): number => {
    if (family === 'IPv6') return 2;
    return /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(address) ? 0 : 1;
  };
  return candidates.toSorted((one, other) => rank(one) - rank(other))[0]?.address;
}
