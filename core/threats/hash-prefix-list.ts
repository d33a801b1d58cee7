import { hash } from 'node:crypto';
import { ThreatDiffError } from './threat-diff-error.ts';

/** Prefixes of SHA-256 hashes of one length, one after the other in ascending order. */
export interface HashPrefixes {
  /** Bytes of each prefix, 4 to 32. */
  size: number;
  bytes: Buffer;
}

/** A change of a list. */
export interface HashPrefixDiff {
  /** The list becomes empty first. */
  isReset: boolean;
  /** Places in the sorted list that are removed before additions, each once, in any order. */
  removals: Uint32Array;
  /** In any order; several entries may have the same size. */
  additions: readonly HashPrefixes[];
}

const smallestPrefix = 4;
const largestPrefix = 32;
// Sixteen million prefixes. Web Risk's own limit for clients that set one is 2^20 entries.
const maxListBytes = 64 * 1_048_576;

/**
 * A threat list: prefixes of the hashes of dangerous expressions. Immutable. Most prefixes have 4 bytes, so that a million take
 * four megabytes.
 */
export class HashPrefixList {
  static readonly empty = new HashPrefixList([]);
  /** By ascending size, none empty. */
  readonly groups: readonly HashPrefixes[];
  /** Of each group; undefined for small ones. */
  readonly #starts: readonly (Uint32Array | undefined)[];
  readonly entries: number;
  readonly byteLength: number;

  /** @param groups each size once, sorted. */
  private constructor(groups: readonly HashPrefixes[]) {
    this.groups = groups.filter(({ bytes }) => bytes.length > 0).toSorted((a, b) => a.size - b.size);
    this.#starts = this.groups.map(startsOf);
    this.byteLength = groups.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.entries = groups.reduce((sum, { size, bytes }) => sum + bytes.length / size, 0);
  }

  /**
   * Builds a list of prefixes in any order.
   * @throws ThreatDiffError where a size is not one of a prefix, or they take more than 64 MiB.
   */
  static of(prefixes: readonly HashPrefixes[]): HashPrefixList {
    let total = 0;
    for (const { size, bytes } of prefixes) {
      if (!Number.isInteger(size) || size < smallestPrefix || size > largestPrefix || bytes.length % size !== 0)
        throw new ThreatDiffError('prefixes have a wrong size');
      total += bytes.length;
    }
    if (total > maxListBytes) throw new ThreatDiffError(`a list of ${total} bytes is too large`);
    const bySize = Map.groupBy(prefixes, ({ size }) => size);
    return new HashPrefixList(
      [...bySize].map(([size, same]) => sorted(size, Buffer.concat(same.map((one) => one.bytes)))),
    );
  }

  /** How many bytes of `fullHash` are a prefix in the list; 0: none are. A few dozen nanoseconds. */
  match(fullHash: Buffer): number {
    for (const [index, group] of this.groups.entries()) {
      if (holds(group, this.#starts[index], fullHash)) return group.size;
    }
    return 0;
  }

  /**
   * Applies a change; removals name places of the list as it was.
   * @throws ThreatDiffError where it does not fit the list, or the list would take more than 64 MiB.
   */
  apply({ isReset, removals, additions }: HashPrefixDiff): HashPrefixList {
    const base = isReset ? HashPrefixList.empty : this;
    return HashPrefixList.of([...base.without(removals), ...additions]);
  }

  /** SHA-256 of all prefixes in ascending order, which Web Risk sends with each change. */
  checksum(): Buffer {
    if (this.groups.length === 1) return hash('sha256', this.groups[0]!.bytes, 'buffer');
    const all = Buffer.allocUnsafe(this.byteLength);
    let length = 0;
    walk(this.groups, ({ size, bytes }, at) => {
      length += bytes.copy(all, length, at, at + size);
    });
    return hash('sha256', all, 'buffer');
  }

  private without(removals: Uint32Array): readonly HashPrefixes[] {
    if (removals.length === 0) return this.groups;
    const ascending = removals.toSorted();
    const kept = new Map(
      this.groups.map((group) => [group, { bytes: Buffer.allocUnsafe(group.bytes.length), length: 0 }]),
    );
    let place = 0;
    let removed = 0;
    walk(this.groups, (group, at) => {
      const isRemoved = ascending[removed] === place;
      place += 1;
      if (isRemoved) removed += 1;
      else {
        const target = kept.get(group)!;
        target.length += group.bytes.copy(target.bytes, target.length, at, at + group.size);
      }
    });
    // A place past the end, or the same twice.
    if (removed !== ascending.length) throw new ThreatDiffError('a removal names no place of the list');
    return this.groups.map((group) => {
      const { bytes, length } = kept.get(group)!;
      return { size: group.size, bytes: bytes.subarray(0, length) };
    });
  }
}

function sorted(size: number, bytes: Buffer): HashPrefixes {
  if (isSorted(size, bytes)) return { size, bytes };
  const result = Buffer.allocUnsafe(bytes.length);
  if (size === smallestPrefix) {
    const numbers = new Uint32Array(bytes.length / size);
    for (let index = 0; index < numbers.length; index += 1) numbers[index] = bytes.readUInt32BE(index * size);
    numbers.sort();
    for (let index = 0; index < numbers.length; index += 1) result.writeUInt32BE(numbers[index]!, index * size);
    return { size, bytes: result };
  }
  const prefixes: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) prefixes.push(bytes.subarray(at, at + size));
  for (const [index, prefix] of prefixes.toSorted(Buffer.compare).entries()) prefix.copy(result, index * size);
  return { size, bytes: result };
}

function isSorted(size: number, bytes: Buffer): boolean {
  for (let at = size; at < bytes.length; at += size)
    if (compareAt(bytes, at - size, size, bytes, at, size) > 0) return false;
  return true;
}

/** Calls `visit` for each prefix of all groups, in ascending order. */
function walk(groups: readonly HashPrefixes[], visit: (group: HashPrefixes, at: number) => void): void {
  const heads = groups.map((group) => ({ group, at: 0 }));
  while (heads.length > 0) {
    let least = heads[0]!;
    for (const head of heads) {
      const { group, at } = head;
      if (head !== least && compareAt(group.bytes, at, group.size, least.group.bytes, least.at, least.group.size) < 0)
        least = head;
    }
    visit(least.group, least.at);
    least.at += least.group.size;
    if (least.at >= least.group.bytes.length) heads.splice(heads.indexOf(least), 1);
  }
}

// A million prefixes have 15 in each bucket, and the index takes 256 KiB. Few prefixes are found as fast without.
const bucketBits = 16;
const fewPrefixes = 4_096;

/** For each value of the first two bytes the place of the first prefix that begins with it, or with a higher one. */
function startsOf({ size, bytes }: HashPrefixes): Uint32Array | undefined {
  const count = bytes.length / size;
  if (count < fewPrefixes) return undefined;
  const starts = new Uint32Array(2 ** bucketBits + 1);
  let bucket = 0;
  for (let place = 0; place < count; place += 1) {
    const next = bytes.readUInt16BE(place * size);
    while (bucket < next) starts[(bucket += 1)] = place;
  }
  starts.fill(count, bucket + 1);
  return starts;
}

function holds({ size, bytes }: HashPrefixes, starts: Uint32Array | undefined, fullHash: Buffer): boolean {
  const bucket = fullHash.readUInt16BE();
  let low = starts?.[bucket] ?? 0;
  let high = starts?.[bucket + 1] ?? bytes.length / size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareAt(bytes, middle * size, size, fullHash, 0, size);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Compares two prefixes. Their first four bytes, which nearly always decide, are compared as a number. */
function compareAt(a: Buffer, aAt: number, aSize: number, b: Buffer, bAt: number, bSize: number): number {
  const difference = a.readUInt32BE(aAt) - b.readUInt32BE(bAt);
  if (difference !== 0 || (aSize === smallestPrefix && bSize === smallestPrefix)) return difference;
  return a.compare(b, bAt, bAt + bSize, aAt, aAt + aSize);
}
