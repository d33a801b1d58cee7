import { hash } from 'node:crypto';

/** The fields of a line of the audit log that its hash covers. */
export interface SealedLine {
  id: string;
  position: number;
  at: Date;
  caller: string;
  userId: string | null;
  keyId: string | null;
  actor: string | null;
  action: string;
  organizationId: string | null;
  subjectId: string | null;
  count: number;
  lastAt: Date | null;
  details: unknown;
  /** Null: the details were erased, and cannot be checked any more. */
  salt: string | null;
  /** Covers the details; what is left of them after an erasure. */
  detailsHash: string;
  hash: string;
}

/** Before the first line of a chain. */
export const firstHash = '0'.repeat(64);

/** The hash of the details of a line. The salt keeps erased details from being guessed. */
export function hashDetails(salt: string, details: unknown): string {
  return hash('sha256', `${salt} ${canonical(details)}`, 'hex');
}

/** The hash of a line, which covers the hash before it: a line that is changed, added or taken away breaks the chain. */
export function hashLine(before: string, line: Omit<SealedLine, 'details' | 'salt' | 'hash'>): string {
  const { position, id, at, caller, userId, keyId, actor, action, organizationId, subjectId, count, lastAt } = line;
  const fields = [position, id, at, caller, userId, keyId, actor, action, organizationId, subjectId, count, lastAt];
  return hash('sha256', canonical([before, ...fields, line.detailsHash]), 'hex');
}

/** What is wrong with a chain; `missing`: a line before this position, `cut`: lines at the end. */
export interface ChainBreak {
  position: number;
  /** Of the line; null: there is none. */
  id: string | null;
  kind: 'changed' | 'missing' | 'cut' | 'added';
}

/** The lines of a chain that are kept. */
export interface ChainEnds {
  keptFrom: number;
  keptAfter: string;
  length: number;
  head: string;
}

/** Follows a chain line by line. */
export class ChainCheck {
  /** Lines that were followed. */
  lines = 0;
  /** Lines whose details were erased. */
  erased = 0;
  /** Whether a hash that was noted earlier is in the chain. */
  hasNoted = false;
  readonly #ends: ChainEnds;
  readonly #noted: string | undefined;
  #next: number;
  #before: string;

  /** @param noted a hash that an earlier check printed. */
  constructor(ends: ChainEnds, noted?: string) {
    this.#ends = ends;
    this.#noted = noted;
    this.#next = ends.keptFrom;
    this.#before = ends.keptAfter;
    this.#note(ends.keptAfter);
  }

  /** @returns what breaks the chain at this line. */
  follow(line: SealedLine): ChainBreak | undefined {
    const at = { position: line.position, id: line.id };
    if (line.position > this.#ends.length || line.position < this.#next) return { ...at, kind: 'added' };
    if (line.position > this.#next) return { ...at, position: this.#next, kind: 'missing' };
    if (line.salt === null) this.erased += 1;
    else if (hashDetails(line.salt, line.details) !== line.detailsHash) return { ...at, kind: 'changed' };
    if (hashLine(this.#before, line) !== line.hash) return { ...at, kind: 'changed' };
    this.#next += 1;
    this.#before = line.hash;
    this.lines += 1;
    this.#note(line.hash);
    return undefined;
  }

  /** @returns what breaks the chain after its last line. */
  end(): ChainBreak | undefined {
    if (this.#next <= this.#ends.length) return { position: this.#next, id: null, kind: 'cut' };
    return this.#before === this.#ends.head ? undefined : { position: this.#ends.length, id: null, kind: 'changed' };
  }

  #note(hash: string): void {
    if (hash === this.#noted) this.hasNoted = true;
  }
}

/** JSON with sorted names: the database may give them in another order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
