import type { HashPrefixList } from './hash-prefix-list.ts';
import { type ThreatType, threatTypes } from './types.ts';

/** A list as a process holds it. `nextDiffAtMs`: Unix time at which Web Risk recommends to ask for changes. */
interface HeldThreatList {
  list: HashPrefixList;
  /** Grows with each change of the list. */
  version: number;
  nextDiffAtMs: number;
}

/** A prefix of a list that begins one of some hashes. */
interface PrefixMatch {
  threatType: ThreatType;
  prefix: Buffer;
}

/** A list's size, and for how long its changes are overdue. */
export interface ThreatListStatus {
  threatType: ThreatType;
  entries: number;
  overdueMs: number;
}

// Web Risk recommends about half an hour between changes; a list that missed four of them says nothing about URLs of
// today any more.
const staleAfterMs = 2 * 60 * 60_000;

/** The threat lists of Web Risk that a process holds in memory, one for each threat type. */
export class ThreatLists {
  #lists = new Map<ThreatType, HeldThreatList>();

  set(threatType: ThreatType, held: HeldThreatList): void {
    this.#lists.set(threatType, held);
  }

  get(threatType: ThreatType): HeldThreatList | undefined {
    return this.#lists.get(threatType);
  }

  /** Finds prefixes of any list that begin one of some SHA-256 hashes. None: no list knows them. */
  match(hashes: readonly Buffer[]): PrefixMatch[] {
    const matches: PrefixMatch[] = [];
    for (const hash of hashes) {
      for (const [threatType, { list }] of this.#lists) {
        const size = list.match(hash);
        if (size > 0) matches.push({ threatType, prefix: hash.subarray(0, size) });
      }
    }
    return matches;
  }

  /** Whether all lists are there, and none has missed its changes for two hours: only then no match means clean. */
  isFresh(nowMs: number): boolean {
    return threatTypes.every((type) => nowMs <= (this.#lists.get(type)?.nextDiffAtMs ?? -Infinity) + staleAfterMs);
  }

  status(nowMs: number): ThreatListStatus[] {
    return [...this.#lists].map(([threatType, { list, nextDiffAtMs }]) => ({
      threatType,
      entries: list.entries,
      overdueMs: Math.max(0, nowMs - nextDiffAtMs),
    }));
  }

  /** Says for readyz why the lists cannot tell that a URL is clean; undefined: they can. */
  describeStale(nowMs: number): string | undefined {
    if (this.isFresh(nowMs)) return undefined;
    const missing = threatTypes.filter((type) => !this.#lists.has(type));
    if (missing.length > 0) return `threat lists: ${missing.join(', ')} not loaded`;
    const overdueMs = Math.max(...this.status(nowMs).map((list) => list.overdueMs));
    return `threat lists: changes overdue for ${Math.floor(overdueMs / 60_000)} min`;
  }
}
