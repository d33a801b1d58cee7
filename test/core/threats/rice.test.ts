import { expect, test } from 'vitest';
import { decodeRice } from '#core/threats/rice.ts';
import { ThreatDiffError } from '#core/threats/threat-diff-error.ts';

const decode = (firstValue: number, riceParameter: number, entryCount: number, data: string): number[] => [
  ...decodeRice({ firstValue, riceParameter, entryCount, encodedData: Buffer.from(data, 'hex') }),
];

// Facts of the tests of github.com/google/safebrowsing: numbers that Google's server has compressed, here as differences.
test.each([
  [2, 'f702', [15, 9]],
  [5, '00', [0]],
  [
    28,
    '54607be70a5fc1dcee69defe583ca3d6a5f2108c4a595600',
    [62763050, 1046523781, 192522171, 1800511020, 4442775, 582142548],
  ],
  [
    27,
    '8998d875bc4491eb390c3e309a78f36ad4d9b19ffb703e443ea3086742c22b46698e3cebd9105a439a32a52d4e770f877820b6ab7198480c9e9ed7230c13432ca901',
    [
      225846818, 328287420, 166748623, 29117720, 552397365, 350353215, 558267528, 4738273, 567093445, 28563065,
      55077698, 73091685, 339246010, 98242620, 38060941, 63917830, 206319759, 137700744,
    ],
  ],
])('numbers with the parameter %i are decoded', (parameter, data, differences) => {
  let sum = 0;
  expect(decode(0, parameter, differences.length, data)).toEqual([0, ...differences.map((each) => (sum += each))]);
});

// Of the same tests: places in a list.
test.each([
  [172, 28, 5, '720000c0210000100400001a01006017000000', [172, 229, 364, 494, 776, 963]],
  [35, 28, 6, 'f80100800f000050050000c50000c0020000b4020000', [35, 287, 349, 519, 716, 738, 911]],
  [998, 0, 0, '', [998]],
])('places that begin with %i are decoded', (first, parameter, count, data, places) => {
  expect(decode(first, parameter, count, data)).toEqual(places);
});

test.each([
  ['count', 0, 28, 9, 'ffffffff'],
  ['count', 0, 28, -1, ''],
  ['data', 0, 2, 2, 'ffff'],
  ['parameter', 0, 1, 2, 'ffff'],
  ['parameter', 0, 29, 2, 'ffffffffffffffff'],
  ['first value', 2 ** 32, 2, 0, ''],
  ['first value', -1, 2, 0, ''],
  ['sum', 2 ** 32 - 1, 2, 1, '02'],
])('a wrong %s is refused', (what, first, parameter, count, data) => {
  expect(() => decode(first, parameter, count, data)).toThrow(ThreatDiffError);
  expect(() => decode(first, parameter, count, data)).toThrow(what);
});
