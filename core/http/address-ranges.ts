import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address and the length of its prefix: all addresses that begin with it. */
type Range = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** A range of addresses in its one spelling, or why the text names none. */
type RangeReading = { range: string } | { problem: string };

const form = /^([^/%]+)(?:\/(\d{1,3}))?$/;

/**
 * Reads an IPv4 or IPv6 address, or a range of them in CIDR notation. Bits behind the prefix are refused, since one of the two is
 * a mistake then; IPv4 addresses inside IPv6 (`::ffff:192.0.2.1`) are read as IPv4.
 */
export function readAddressRange(text: string): RangeReading {
  const [, given = '', length] = form.exec(text.trim()) ?? [];
  if (isIP(given) === 0) return { problem: 'must be an IP address or a range such as 203.0.113.0/24' };
  const [address, bits] = toRange(given, length);
  const most = bitsOf(address);
  if (bits < 0 || bits > most) return { problem: `must have a prefix of 0 to ${most} bits` };
  const network = firstOf([address, bits]);
  const range = bits === most ? network : `${network}/${bits}`;
  if (network === spell(address)) return { range };
  return { problem: `has bits behind its prefix: ${range} is the range` };
}

/** An address in its one spelling; an IPv4 address inside IPv6 as IPv4. */
export function spellAddress(address: string): string {
  return isIP(address) === 0 ? address : spell(ipaddr.process(address));
}

/** Whether all addresses of a range are in one of some other ranges. */
export function isWithin(range: string, outer: readonly string[]): boolean {
  const [address, bits] = parseRange(range);
  return outer
    .map(parseRange)
    .some(([network, length]) => length <= bits && network.kind() === address.kind() && address.match(network, length));
}

function parseRange(range: string): Range {
  const [address = '', length] = range.split('/');
  return toRange(address, length);
}

function toRange(text: string, length: string | undefined): Range {
  const address = ipaddr.process(text);
  if (length === undefined) return [address, bitsOf(address)];
  // The prefix of an IPv4 address inside IPv6 counts the 96 bits before it.
  const outside = isIP(text) === 6 && address.kind() === 'ipv4' ? 96 : 0;
  return [address, Number(length) - outside];
}

const bitsOf = (address: ipaddr.IPv4 | ipaddr.IPv6): number => address.toByteArray().length * 8;

function spell(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return address.kind() === 'ipv6' ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}

function firstOf([address, bits]: Range): string {
  const bytes = address
    .toByteArray()
    .map((byte, index) => byte & (0xff00 >> Math.max(0, Math.min(8, bits - 8 * index))) & 0xff);
  return spell(ipaddr.fromByteArray(bytes));
}
