import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Batch,
  type BatchesEffect,
  type BatchesEvent,
  type BatchesState,
  type BatchesStep,
  beginBatches,
  type Slot,
  reduceBatches,
} from '#core/clicks/batches.ts';
import { isBefore, isSame, type JournalOffset } from '#core/clicks/journal-offset.ts';

const at = (position: number, segment = 1): JournalOffset => ({ segment, position });
const both = [0, 1] as const;

/** Takes events in, one after the other. @returns the last state, and the effects of the last event. */
function take([state, effects]: BatchesStep, ...events: BatchesEvent[]): BatchesStep {
  return events.reduce<BatchesStep>(([last], event) => reduceBatches(last, event), [state, effects]);
}

const batch = (slot: Slot, from: number, to: number, isDeadLetter = false): Batch => ({
  slot,
  from: at(from),
  start: at(from),
  to: at(to),
  isDeadLetter,
});
const read = (start: number, to: number): BatchesEvent => ({ kind: 'read', start: at(start), to: at(to) });
const begun = beginBatches(at(0), at(100), both, 6);

describe('beginBatches', () => {
  test('reads into the first slot', () => {
    expect(begun[1]).toEqual([{ kind: 'read', slot: 0, from: at(0) }]);
  });

  test('does nothing at the end of the journal', () => {
    expect(beginBatches(at(100), at(100), both, 6)[1]).toEqual([]);
  });
});

describe('reduceBatches', () => {
  test('begins the second batch and lets it commit only once the first one is stored', () => {
    const second = take(begun, read(0, 10), read(10, 20));
    expect(second[1]).toEqual([{ kind: 'store', batch: batch(1, 10, 20) }]);
    expect(take(second, { kind: 'stored', batch: batch(0, 0, 10) })[1]).toEqual([
      { kind: 'commit', batch: batch(1, 10, 20) },
      { kind: 'read', slot: 0, from: at(20) },
    ]);
  });

  test('reads no more chunks than its turn allows', () => {
    const step = take(beginBatches(at(0), at(100), [0], 1), read(0, 10), { kind: 'stored', batch: batch(0, 0, 10) });
    expect(step[1]).toEqual([]);
    expect(step[0].offset).toEqual(at(10));
  });

  test('puts the halves of a refused batch in its place, one after the other on its slot', () => {
    const halved = take(begun, read(0, 10), read(10, 20), { kind: 'refused', batch: batch(0, 0, 10), middle: at(6) });
    expect(halved[1]).toEqual([
      { kind: 'store', batch: batch(0, 0, 6) },
      { kind: 'commit', batch: batch(0, 0, 6) },
    ]);
    const next = take(halved, { kind: 'stored', batch: batch(0, 0, 6) });
    expect(next[1]).toEqual([
      { kind: 'store', batch: batch(0, 6, 10) },
      { kind: 'commit', batch: batch(0, 6, 10) },
    ]);
    expect(next[0].offset).toEqual(at(6));
  });

  test('begins nothing after a failure, and still notes a commit that was under way', () => {
    const failed = take(begun, read(0, 10), read(10, 20), { kind: 'failed' });
    expect(failed[1]).toEqual([]);
    const [state, effects] = take(failed, { kind: 'stored', batch: batch(0, 0, 10) });
    expect(state.offset).toEqual(at(10));
    expect(effects).toEqual([]);
  });
});

type Kind = 'good' | 'bad';

interface StoredRecord {
  readonly id: string;
  readonly kind: Kind;
  readonly start: JournalOffset;
  readonly to: JournalOffset;
}

/** Lays records out in segments; each segment but the last ends in a line that was never finished. */
function layOut(segments: readonly (readonly { kind: Kind; bytes: number }[])[]): {
  records: StoredRecord[];
  end: JournalOffset;
} {
  let position = 0;
  const records = segments.flatMap((kinds, index) => {
    position = 0;
    return kinds.map(({ kind, bytes }, number): StoredRecord => {
      const start = at(position, index + 1);
      position += bytes;
      return { id: `${index}/${number}`, kind, start, to: at(position, index + 1) };
    });
  });
  return { records, end: at(position, segments.length) };
}

const keyOf = ({ segment, position }: JournalOffset): string => `${segment}/${position}`;

/** A database that takes batches as PostgreSQL does: all of one or nothing, and only from where it stands. */
class FakeDatabase {
  offset = at(0);
  readonly clicks: string[] = [];
  readonly deadLetters: string[] = [];

  commit({ from, to, isDeadLetter }: Batch, records: readonly StoredRecord[]): void {
    if (!isSame(this.offset, from))
      throw new Error(`The database stands at ${keyOf(this.offset)}, not ${keyOf(from)}.`);
    if (!isBefore(from, to)) throw new Error('The offset does not grow.');
    for (const { id } of records) (isDeadLetter ? this.deadLetters : this.clicks).push(id);
    this.offset = to;
  }
}

const recordsOf = (all: readonly StoredRecord[], { start, to }: Batch): StoredRecord[] =>
  all.filter(
    (record) => record.start.segment === to.segment && !isBefore(record.start, start) && isBefore(record.start, to),
  );

/** Where a read from `from` begins and ends; null where no record is left. */
function readFrom(all: readonly StoredRecord[], from: JournalOffset, most: number): readonly StoredRecord[] | null {
  const first = all.find(({ start }) => !isBefore(start, from));
  if (first === undefined) return null;
  const index = all.indexOf(first);
  const chunk = all.slice(index, index + most).filter(({ start }) => start.segment === first.start.segment);
  return chunk;
}

type Outcome = 'done' | 'killed' | 'failed';

/**
 * Performs effects in any order until nothing is under way, or the process is killed or fails on the way.
 * @param pick chooses the effect that ends next, by its index.
 * @param decide says what becomes of a commit.
 */
function perform(
  database: FakeDatabase,
  all: readonly StoredRecord[],
  begun: BatchesStep,
  most: number,
  pick: (count: number) => number,
  decide: () => 'ok' | 'killBefore' | 'killAfter' | 'fail',
): Outcome {
  let [state, effects]: [BatchesState, readonly BatchesEffect[]] = [begun[0], begun[1]];
  const underWay: Exclude<BatchesEffect, { kind: 'commit' }>[] = [];
  const mayCommit = new Set<string>();
  const batchKey = ({ from, to, isDeadLetter }: Batch): string => `${keyOf(from)}-${keyOf(to)} ${isDeadLetter}`;
  for (;;) {
    for (const effect of effects) {
      if (effect.kind === 'commit') mayCommit.add(batchKey(effect.batch));
      else underWay.push(effect);
    }
    const stores = underWay.filter((effect) => effect.kind === 'store');
    expect(new Set(stores.map((effect) => effect.batch.slot)).size).toBe(stores.length);
    const ready = underWay.filter(
      (effect) =>
        effect.kind !== 'store' ||
        mayCommit.has(batchKey(effect.batch)) ||
        // The database may refuse a record while it copies, before the batch's turn.
        (!effect.batch.isDeadLetter && recordsOf(all, effect.batch).some(({ kind }) => kind === 'bad')),
    );
    if (ready.length === 0) {
      expect(underWay).toEqual([]);
      return 'done';
    }
    const effect = ready[pick(ready.length)]!;
    underWay.splice(underWay.indexOf(effect), 1);
    const before = state.offset;
    if (effect.kind === 'removeSegments') {
      effects = [];
      expect(database.offset.segment).toBeGreaterThanOrEqual(effect.before);
      continue;
    }
    if (effect.kind === 'read') {
      const chunk = readFrom(all, effect.from, most);
      [state, effects] = reduceBatches(
        state,
        chunk === null ? { kind: 'readAll' } : { kind: 'read', start: chunk[0]!.start, to: chunk.at(-1)!.to },
      );
      continue;
    }
    const { batch: stored } = effect;
    const records = recordsOf(all, stored);
    if (!stored.isDeadLetter && records.some(({ kind }) => kind === 'bad')) {
      const middle = records.length === 1 ? null : records[Math.ceil(records.length / 2)]!.start;
      [state, effects] = reduceBatches(state, { kind: 'refused', batch: stored, middle });
      continue;
    }
    const decision = decide();
    if (decision === 'killBefore') return 'killed';
    if (decision === 'fail') {
      [state, effects] = reduceBatches(state, { kind: 'failed' });
      expect(effects).toEqual([]);
      return 'failed';
    }
    database.commit(stored, records);
    if (decision === 'killAfter') return 'killed';
    [state, effects] = reduceBatches(state, { kind: 'stored', batch: stored });
    expect(state.offset).toEqual(database.offset);
    expect(isBefore(before, state.offset)).toBe(true);
  }
}

const segments = fc.array(
  fc.array(
    fc.record({
      kind: fc.oneof({ weight: 6, arbitrary: fc.constant<Kind>('good') }, fc.constant<Kind>('bad')),
      bytes: fc.integer({ min: 1, max: 50 }),
    }),
    { maxLength: 25 },
  ),
  { minLength: 1, maxLength: 4 },
);
const turns = fc.record({
  slots: fc.constantFrom<readonly Slot[]>([0], both),
  most: fc.integer({ min: 1, max: 12 }),
  maxChunks: fc.integer({ min: 1, max: 6 }),
});

test(
  'every record is stored once, in order, and the bad ones alone are dead letters, whatever fails or is killed',
  { tags: 'slow' },
  () => {
    const decision = fc.oneof(
      { weight: 12, arbitrary: fc.constant('ok' as const) },
      fc.constantFrom('killBefore' as const, 'killAfter' as const, 'fail' as const),
    );
    fc.assert(
      fc.property(
        segments,
        turns,
        fc.infiniteStream(fc.nat()),
        fc.infiniteStream(decision),
        (laid, turn, picks, decisions) => {
          const { records, end } = layOut(laid);
          const database = new FakeDatabase();
          const pick = (count: number): number => picks.next().value! % count;
          const decide = () => decisions.next().value!;
          // A process that is killed or loses its connection begins again from where the database stands.
          for (let runs = 0; readFrom(records, database.offset, 1) !== null; runs += 1) {
            expect(runs).toBeLessThan(2_000);
            const step = beginBatches(database.offset, end, turn.slots, turn.maxChunks);
            perform(database, records, step, turn.most, pick, decide);
          }
          const idsOf = (wanted: Kind) => records.filter(({ kind }) => kind === wanted).map(({ id }) => id);
          expect(database.clicks).toEqual(idsOf('good'));
          expect(database.deadLetters).toEqual(idsOf('bad'));
        },
      ),
      { numRuns: 400 },
    );
  },
);

test('without failures one turn ships as many chunks as it may, or all', () => {
  fc.assert(
    fc.property(segments, turns, fc.infiniteStream(fc.nat()), (laid, { slots, most }, picks) => {
      const { records, end } = layOut(laid);
      const database = new FakeDatabase();
      const step = beginBatches(at(0), end, slots, Number.POSITIVE_INFINITY);
      expect(
        perform(
          database,
          records,
          step,
          most,
          (count) => picks.next().value! % count,
          () => 'ok',
        ),
      ).toBe('done');
      const last = records.at(-1);
      if (last !== undefined) expect(isSame(database.offset, last.to)).toBe(true);
    }),
  );
});
