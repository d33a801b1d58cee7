import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HashPrefixList, type HashPrefixes } from '#core/threats/hash-prefix-list.ts';
import { ThreatDiffError } from '#core/threats/threat-diff-error.ts';

/** Prefixes as text, each with the bytes of its characters. */
function prefixesOf(texts: readonly string[]): HashPrefixes[] {
  return [...Map.groupBy(texts, (text) => text.length)].map(([size, same]) => ({
    size,
    bytes: Buffer.from(same.join(''), 'latin1'),
  }));
}

const listOf = (...texts: string[]): HashPrefixList => HashPrefixList.of(prefixesOf(texts));
const none = new Uint32Array();
const bytes = (text: string): Buffer => Buffer.from(text.padEnd(32, '\u0000'), 'latin1');
const sha256 = (texts: readonly string[]): string => hash('sha256', Buffer.from(texts.join(''), 'latin1'), 'hex');

// Facts of the tests of github.com/google/safebrowsing.
describe('the examples of Google', () => {
  test.each([
    [[], 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [['xxxx', 'yyyy', 'zzzz'], '20ffb2c3e9532153b96b956845381adc06095f8342fa2db1aafba6b0e9594d68'],
    [['aaaa', 'bbbb', 'cccc', 'dddd'], '147eb9dcde0e090429c01dbf634fd9b69a7f141f005c387a9c00498908499dde'],
  ])('the checksum of %j', (texts, expected) => {
    expect(
      listOf(...texts)
        .checksum()
        .toString('hex'),
    ).toBe(expected);
  });

  test.each([
    [['aaaa', 'bbbbb', 'bbbbc'], { aaaa: 4, bbbb: 0, bbbbbbbbb: 5, bbbbcbbbb: 5 }],
    [['aaaa', 'bbbb'], { aaaa: 4, aaaaaaa: 4, bbbb: 4, cccc: 0 }],
    [['abcdefgh', 'abcdefgi', 'abcdefgj'], { abcdefg: 0, abcdefgh: 8, abcdefgz: 0 }],
  ])('the prefixes %j begin some hashes', (texts, lengths) => {
    for (const [text, length] of Object.entries(lengths)) expect(listOf(...texts).match(bytes(text))).toBe(length);
  });
});

test('removals name places of the sorted list across prefixes of all sizes, before additions', () => {
  const list = listOf('cccc', 'aaaa', 'aaaab', 'bbbb', 'dddddd');
  const diff = { isReset: false, removals: Uint32Array.of(4, 1, 2), additions: prefixesOf(['abba', 'eeeee']) };
  const after = list.apply(diff);
  expect(after.checksum()).toEqual(listOf('aaaa', 'abba', 'cccc', 'eeeee').checksum());
  expect(after.entries).toBe(4);
  expect(after.byteLength).toBe(17);
});

test('a reset forgets the list', () => {
  const after = listOf('aaaa', 'bbbb').apply({ isReset: true, removals: none, additions: prefixesOf(['cccc']) });
  expect(after.groups).toEqual(prefixesOf(['cccc']));
});

test.each([[[2]], [[0, 0]]])('removals at %j do not fit a list of two', (places) => {
  const removals = Uint32Array.from(places);
  const list = listOf('aaaa', 'bbbb');
  expect(() => list.apply({ isReset: false, removals, additions: [] })).toThrow(ThreatDiffError);
});

test.each([
  [3, 3],
  [33, 33],
  [4, 5],
  [4.5, 9],
])('prefixes of %d bytes within %i are refused', (size, length) => {
  expect(() => HashPrefixList.of([{ size, bytes: Buffer.alloc(length) }])).toThrow(ThreatDiffError);
});

test('a list of more than 64 MiB is refused', () => {
  const half = { size: 32, bytes: Buffer.alloc(32 * 1_048_576) };
  expect(() => HashPrefixList.of([half, half, { size: 4, bytes: Buffer.alloc(4) }])).toThrow(/too large/);
});

test('each of many prefixes is found, and no other', () => {
  const held = new Set<number>([0, 1, 0xffff_ffff, 0x0001_0000, 0x0000_ffff]);
  // A multiplicative generator: spread evenly, and the same in every run.
  for (let value = 1; held.size < 20_000; value = (value * 48_271) % 0x7fff_ffff) held.add(value * 2);
  const bytesOf = (value: number): Buffer => {
    const hash = Buffer.alloc(32);
    hash.writeUInt32BE(value);
    return hash;
  };
  const list = HashPrefixList.of([
    { size: 4, bytes: Buffer.concat([...held].map((value) => bytesOf(value).subarray(0, 4))) },
  ]);
  const wrong = [...held]
    .flatMap((value) => [value, (value + 1) % 2 ** 32])
    .filter((value) => list.match(bytesOf(value)) !== (held.has(value) ? 4 : 0));
  expect(wrong).toEqual([]);
});

test('any changes leave what a plain sorted list would hold', () => {
  const prefix = fc
    .tuple(
      fc.constantFrom(4, 4, 4, 5, 32),
      fc.array(fc.constantFrom('a', 'b', '\u00ff', '\u0000'), { minLength: 32, maxLength: 32 }),
    )
    .map(([size, characters]) => characters.slice(0, size).join(''));
  const change = fc.record({
    isReset: fc.boolean(),
    additions: fc.uniqueArray(prefix, { maxLength: 40 }),
    removals: fc.uniqueArray(fc.nat(1_000), { maxLength: 10 }),
  });
  const ascending = (texts: readonly string[]): string[] =>
    texts.toSorted((a, b) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
      let plain: string[] = [];
      let list = HashPrefixList.empty;
      for (const { isReset, additions, removals } of changes) {
        const base = isReset ? [] : plain;
        const places = new Set(removals.filter((place) => place < base.length));
        const kept = base.filter((_, place) => !places.has(place));
        const added = additions.filter((text) => !kept.includes(text));
        plain = ascending([...kept, ...added]);
        list = list.apply({ isReset, removals: Uint32Array.from(places), additions: prefixesOf(added) });
        expect(list.entries).toBe(plain.length);
        expect(list.checksum().toString('hex')).toBe(sha256(plain));
        for (const text of [...plain, ...additions, 'zzzz']) {
          const shortest = plain.filter((one) => bytes(text).toString('latin1').startsWith(one));
          expect(list.match(bytes(text))).toBe(Math.min(33, ...shortest.map((one) => one.length)) % 33);
        }
      }
    }),
  );
});
