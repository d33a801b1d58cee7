import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin, readAddressRange, spellAddress } from '#core/http/address-ranges.ts';

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Node's own opinion whether a range has an address. */
function hasByNode(range: string, address: string): boolean {
  const [network = '', bits] = range.split('/');
  const list = new BlockList();
  if (bits === undefined) list.addAddress(network, familyOf(network));
  else list.addSubnet(network, Number(bits), familyOf(network));
  return familyOf(network) === familyOf(address) && list.check(address, familyOf(address));
}

/** The range that a text with bits behind its prefix means, as the refusal names it. */
function networkOf(text: string): string {
  const reading = readAddressRange(text);
  return 'range' in reading ? reading.range : /: (\S+) is the range$/.exec(reading.problem)![1]!;
}

// Addresses near each other, so that many are in a range and many just outside.
const octet = fc.oneof(fc.constantFrom(0, 1, 127, 128, 255), fc.nat(255));
const v4 = fc.tuple(fc.constant(10), octet, octet, octet).map((parts) => parts.join('.'));
const group = fc.constantFrom('0', '1', '8000', 'ffff');
const v6 = fc.tuple(fc.constant('2001'), ...Array.from({ length: 7 }, () => group)).map((parts) => parts.join(':'));
const v4Range = fc.tuple(v4, fc.integer({ min: 0, max: 32 })).map(([address, bits]) => networkOf(`${address}/${bits}`));
const v6Range = fc
  .tuple(v6, fc.integer({ min: 0, max: 128 }))
  .map(([address, bits]) => networkOf(`${address}/${bits}`));
const range = fc.oneof(v4Range, v6Range);
const address = fc.oneof(v4, v6);

describe('address ranges', () => {
  it('an address is within ranges exactly where one of them has it', () => {
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), address, (ranges, one) => {
        expect(isWithin(one, ranges)).toBe(ranges.some((each) => hasByNode(each, one)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a range within others has no address that they lack', () => {
    fc.assert(
      fc.property(range, fc.array(range, { maxLength: 4 }), address, (inner, outer, one) => {
        if (isWithin(inner, outer) && hasByNode(inner, one))
          expect(outer.some((each) => hasByNode(each, one))).toBe(true);
        expect(isWithin(inner, [...outer, inner])).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('the spelling of a range reads as itself', () => {
    fc.assert(
      fc.property(range, (each) => {
        expect(readAddressRange(each)).toEqual({ range: each });
      }),
    );
  });

  it.each([
    [' 203.0.113.7 ', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['2001:DB8:0:0::/64', '2001:db8::/64'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['::/0', '::/0'],
  ])('reads %s as %s', (text, expected) => {
    expect(readAddressRange(text)).toEqual({ range: expected });
  });

  it.each([
    ['203.0.113.7/24', 'has bits behind its prefix: 203.0.113.0/24 is the range'],
    ['203.0.113.0/33', 'must have a prefix of 0 to 32 bits'],
    ['2001:db8::/129', 'must have a prefix of 0 to 128 bits'],
    ['::ffff:203.0.113.0/64', 'must have a prefix of 0 to 32 bits'],
  ])('refuses "%s"', (text, problem) => {
    expect(readAddressRange(text)).toEqual({ problem });
  });

  it.each(['', 'example.com', '127.1', '01.2.3.4', '1', '10.0.0.0/', '10.0.0.0/-1', 'fe80::1%eth0', '10.0.0.0/8/8'])(
    'refuses "%s", which is no address',
    (text) => {
      expect(readAddressRange(text)).toEqual({ problem: 'must be an IP address or a range such as 203.0.113.0/24' });
    },
  );

  it('an IPv4 address inside IPv6 counts as IPv4, and what is no address stays as it is', () => {
    expect(isWithin('::ffff:203.0.113.9', ['203.0.113.0/24'])).toBe(true);
    expect(spellAddress('::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(spellAddress('nonsense')).toBe('nonsense');
  });
});
