import { ThreatDiffError } from './threat-diff-error.ts';

/** Ascending numbers as Web Risk compresses them (https://cloud.google.com/web-risk/docs/compression). */
interface RiceNumbers {
  firstValue: number;
  /** Bits of each difference that are written as they are. */
  riceParameter: number;
  /** Differences in `encodedData`: one less than there are numbers. */
  entryCount: number;
  encodedData: Uint8Array;
}

const smallestParameter = 2;
const largestParameter = 28;
const maxValue = 0xffff_ffff;

/** Decodes Rice-Golomb numbers. @throws ThreatDiffError where they are not well-formed or exceed 32 bits. */
export function decodeRice({ firstValue, riceParameter, entryCount, encodedData }: RiceNumbers): Uint32Array {
  const bits = encodedData.length * 8;
  if (!Number.isInteger(firstValue) || firstValue < 0 || firstValue > maxValue) throw malformed('first value');
  if (entryCount !== 0 && (riceParameter < smallestParameter || riceParameter > largestParameter))
    throw malformed('parameter');
  // Each difference takes a bit more than the parameter says; so the data bound what is allocated.
  if (entryCount < 0 || entryCount * (riceParameter + 1) > bits) throw malformed('count');
  const numbers = new Uint32Array(entryCount + 1);
  numbers[0] = firstValue;
  let value = firstValue;
  let at = 0;
  for (let index = 1; index <= entryCount; index += 1) {
    let quotient = 0;
    while (at < bits && ((encodedData[at >> 3]! >> (at & 7)) & 1) === 1) {
      quotient += 1;
      at += 1;
    }
    // The bit that ends the quotient.
    at += 1;
    if (at + riceParameter > bits) throw malformed('data');
    let remainder = 0;
    for (let read = 0; read < riceParameter;) {
      const taken = Math.min(8 - (at & 7), riceParameter - read);
      remainder += ((encodedData[at >> 3]! >> (at & 7)) & ((1 << taken) - 1)) * 2 ** read;
      read += taken;
      at += taken;
    }
    value += quotient * 2 ** riceParameter + remainder;
    if (value > maxValue) throw malformed('sum');
    numbers[index] = value;
  }
  return numbers;
}

function malformed(what: string): ThreatDiffError {
  return new ThreatDiffError(`a compressed list of numbers has a wrong ${what}`);
}
