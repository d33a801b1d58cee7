import { hash } from 'node:crypto';
import type { ThreatType } from '#core/threats/types.ts';
import type { FakeFault } from './fake-web-risk.ts';

/** A diff as JSON. */
type FakeDiff = Record<string, unknown>;

/** A request for changes that the fake received; an empty token asks for the whole list. */
export interface FakeDiffRequest {
  threatType: ThreatType;
  versionToken: string;
}

/** The lists of a fake Web Risk. Each `set` makes a version, which the next answer has. */
export interface FakeThreatLists {
  requests: FakeDiffRequest[];
  /** Sets the prefixes (hexadecimal) that a list consists of. */
  set(threatType: ThreatType, prefixes: readonly string[]): void;
  /** Adds the first bytes of the hashes of expressions, like `bad.example/`, to a list. */
  add(threatType: ThreatType, expressions: readonly string[], bytes?: number): void;
  /** Answers the next requests with whole lists (RESET), also where the client asks for a difference. */
  forgetVersions(): void;
  /** When the next changes are recommended; undefined: never said. Defaults to half an hour from now. */
  nextDiff(moment: Date | undefined): void;
  /** Compresses prefixes of four bytes and places (Rice). */
  compress(on: boolean): void;
  /** Changes an answer, or replaces it by a fault. Replaces the previous rule. */
  fault(rule: (request: FakeDiffRequest, diff: FakeDiff, count: number) => FakeFault | FakeDiff | undefined): void;
  answer(threatType: ThreatType, versionToken: Buffer): FakeFault | FakeDiff;
}

const riceParameter = 20;

export function createFakeThreatLists(): FakeThreatLists {
  const versions = new Map<ThreatType, string[][]>();
  const requests: FakeDiffRequest[] = [];
  let isCompressed = false;
  let isForgetful = false;
  let nextDiff: { at: Date | undefined } | undefined;
  let rule: Parameters<FakeThreatLists['fault']>[0] = () => undefined;
  const newest = (threatType: ThreatType): string[] => versions.get(threatType)?.at(-1) ?? [];

  function set(threatType: ThreatType, prefixes: readonly string[]): void {
    versions.set(threatType, [...(versions.get(threatType) ?? [[]]), [...new Set(prefixes)].toSorted()]);
  }

  function diffOf(threatType: ThreatType, token: string): FakeDiff {
    const all = versions.get(threatType) ?? [[]];
    const known = !isForgetful && /^version-\d+\?>$/.test(token) ? all[Number(/\d+/.exec(token)![0])] : undefined;
    const before = known ?? [];
    const now = newest(threatType);
    const places = before.flatMap((prefix, place) => (now.includes(prefix) ? [] : [place]));
    const recommended = nextDiff === undefined ? new Date(Date.now() + 1_800_000) : nextDiff.at;
    return {
      responseType: known === undefined ? 'RESET' : 'DIFF',
      additions: additionsOf(now.filter((prefix) => !before.includes(prefix))),
      ...(places.length === 0
        ? {}
        : { removals: isCompressed ? { riceIndices: rice(places) } : { rawIndices: { indices: places } } }),
      // Its Base64 has characters in which the web-safe alphabet differs.
      newVersionToken: Buffer.from(`version-${all.length - 1}?>`).toString('base64'),
      checksum: { sha256: hash('sha256', Buffer.from(now.join(''), 'hex'), 'base64') },
      ...(recommended === undefined ? {} : { recommendedNextDiff: recommended.toISOString() }),
    };
  }

  function additionsOf(prefixes: readonly string[]): object {
    const bySize = Map.groupBy(prefixes, (prefix) => prefix.length / 2);
    const short = isCompressed ? bySize.get(4) : undefined;
    return {
      rawHashes: [...bySize]
        .filter(([, same]) => same !== short)
        .map(([prefixSize, same]) => ({ prefixSize, rawHashes: Buffer.from(same.join(''), 'hex').toString('base64') })),
      ...(short === undefined
        ? {}
        : { riceHashes: rice(short.map((prefix) => Buffer.from(prefix, 'hex').readUInt32LE())) }),
    };
  }

  return {
    requests,
    set,
    add: (threatType, expressions, bytes = 4) =>
      set(threatType, [
        ...newest(threatType),
        ...expressions.map((expression) => hash('sha256', expression).slice(0, bytes * 2)),
      ]),
    forgetVersions: () => void (isForgetful = true),
    nextDiff: (at) => void (nextDiff = { at }),
    compress: (on) => void (isCompressed = on),
    fault: (next) => void (rule = next),
    answer(threatType, versionToken) {
      const request = { threatType, versionToken: versionToken.toString() };
      requests.push(request);
      const diff = diffOf(threatType, request.versionToken);
      return rule(request, diff, requests.length) ?? diff;
    },
  };
}

/** Compresses numbers as https://cloud.google.com/web-risk/docs/compression says. */
function rice(numbers: readonly number[]): object {
  const [first = 0, ...rest] = numbers.toSorted((a, b) => a - b);
  const bits: number[] = [];
  let before = first;
  for (const number of rest) {
    const difference = number - before;
    before = number;
    for (let left = Math.floor(difference / 2 ** riceParameter); left > 0; left -= 1) bits.push(1);
    bits.push(0);
    for (let bit = 0; bit < riceParameter; bit += 1) bits.push((difference >> bit) & 1);
  }
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries()) bytes[index >> 3]! |= bit << (index & 7);
  return {
    firstValue: String(first),
    ...(rest.length === 0 ? {} : { riceParameter, entryCount: rest.length, encodedData: bytes.toString('base64') }),
  };
}
