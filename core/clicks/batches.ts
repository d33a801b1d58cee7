import { isSame, type JournalOffset } from './journal-offset.ts';

/** A slot is one connection and one read buffer: it works on one chunk at a time. */
export type Slot = 0 | 1;

/** Whole records of one segment, on their way into the database in one transaction. */
export interface Batch {
  readonly slot: Slot;
  /** Where the database stands before the batch. */
  readonly from: JournalOffset;
  /** Where the records begin: behind `from` where an unfinished line or a finished segment lies between. */
  readonly start: JournalOffset;
  readonly to: JournalOffset;
  /** A single record that the database refuses: it goes to the dead letters instead of the table. */
  readonly isDeadLetter: boolean;
}

/** How far one journal is shipped. Everything before `offset` is in the database; `batches` follow in order of the journal. */
export interface BatchesState {
  readonly offset: JournalOffset;
  readonly end: JournalOffset;
  readonly readTo: JournalOffset;
  readonly batches: readonly QueuedBatch[];
  readonly slots: readonly Slot[];
  readonly readsLeft: number;
  /** Slot whose buffer is being read into. */
  readonly reading: Slot | null;
  readonly isFailed: boolean;
}

type QueuedBatch = Batch & { readonly isUnderWay: boolean; readonly mayCommit: boolean };

/** What happened to the journal or to a batch. */
export type BatchesEvent =
  /** Whole records were read into the buffer of the slot that the effect `read` named. */
  | { readonly kind: 'read'; readonly start: JournalOffset; readonly to: JournalOffset }
  /** Nothing is left to read before `end`. */
  | { readonly kind: 'readAll' }
  | { readonly kind: 'stored'; readonly batch: Batch }
  /** The database refuses a record of the batch, which is no dead letter. `middle` is the end of a record inside it; null: it is a single record. */
  | { readonly kind: 'refused'; readonly batch: Batch; readonly middle: JournalOffset | null }
  /** A read or a transaction failed for another reason: nothing more is begun. */
  | { readonly kind: 'failed' };

/** What the shell has to do. */
export type BatchesEffect =
  | { readonly kind: 'read'; readonly slot: Slot; readonly from: JournalOffset }
  /** Begin the batch's transaction on the connection of its slot: everything that no other batch can block. */
  | { readonly kind: 'store'; readonly batch: Batch }
  /** All batches before this one are in the database: its transaction may move the offset and commit. */
  | { readonly kind: 'commit'; readonly batch: Batch }
  /** Every record of the segments before this one is in the database. */
  | { readonly kind: 'removeSegments'; readonly before: number };

/** State and the effects that lead on from it. */
export type BatchesStep = readonly [state: BatchesState, effects: readonly BatchesEffect[]];

/**
 * Begins to ship a journal from `offset`.
 * @param end nothing beyond it is read.
 * @param slots with two, the records of one chunk are copied while the transaction of the chunk before ends.
 * @param maxChunks then other journals have their turn.
 */
export function beginBatches(
  offset: JournalOffset,
  end: JournalOffset,
  slots: readonly Slot[],
  maxChunks: number,
): BatchesStep {
  return proceed({
    offset,
    end,
    readTo: offset,
    batches: [],
    slots,
    readsLeft: maxChunks,
    reading: null,
    isFailed: false,
  });
}

/**
 * Takes an event in. Batches commit one after the other in order of the journal, so that the offset only grows; a refused
 * batch is halved, and both halves take its place, until the refused record stands alone.
 */
export function reduceBatches(state: BatchesState, event: BatchesEvent): BatchesStep {
  switch (event.kind) {
    case 'read': {
      const { start, to } = event;
      const batch = { slot: state.reading!, from: state.readTo, start, to, isDeadLetter: false };
      return proceed({ ...state, readTo: to, reading: null, batches: [...state.batches, queued(batch)] });
    }
    case 'readAll':
      return proceed({ ...state, reading: null, readsLeft: 0 });
    case 'stored': {
      const { from, to } = event.batch;
      const [next, effects] = proceed({
        ...state,
        offset: to,
        batches: state.batches.filter((batch) => !isOf(batch, event.batch)),
      });
      return to.segment === from.segment
        ? [next, effects]
        : [next, [{ kind: 'removeSegments', before: to.segment }, ...effects]];
    }
    case 'refused':
      return proceed({
        ...state,
        batches: state.batches.flatMap((batch) =>
          isOf(batch, event.batch) ? divide(event.batch, event.middle).map(queued) : [batch],
        ),
      });
    case 'failed':
      return [{ ...state, isFailed: true, reading: null }, []];
  }
}

function divide(batch: Batch, middle: JournalOffset | null): readonly Batch[] {
  if (middle === null) return [{ ...batch, isDeadLetter: true }];
  return [
    { ...batch, to: middle },
    { ...batch, from: middle, start: middle },
  ];
}

const queued = (batch: Batch): QueuedBatch => ({ ...batch, isUnderWay: false, mayCommit: false });

/** Batches do not overlap, so the offset before a batch names it. */
const isOf = (batch: Batch, other: Batch): boolean => isSame(batch.from, other.from);

function freeSlot({ slots, batches }: BatchesState): Slot | undefined {
  return slots.find((slot) => !batches.some((batch) => batch.slot === slot));
}

/** Begins what can begin: the first batch of each slot, the commit of the first of all, and one read into a free slot. */
function proceed(state: BatchesState): BatchesStep {
  if (state.isFailed) return [state, []];
  const effects: BatchesEffect[] = [];
  const busy = new Set<Slot>();
  const batches = state.batches.map((batch, index): QueuedBatch => {
    const isFirstOfSlot = !busy.has(batch.slot);
    busy.add(batch.slot);
    const mayCommit = index === 0;
    if (isFirstOfSlot && !batch.isUnderWay) effects.push({ kind: 'store', batch: toBatch(batch) });
    if (mayCommit && !batch.mayCommit) effects.push({ kind: 'commit', batch: toBatch(batch) });
    return { ...batch, isUnderWay: batch.isUnderWay || isFirstOfSlot, mayCommit };
  });
  const slot = freeSlot(state);
  const canRead =
    state.reading === null && state.readsLeft > 0 && slot !== undefined && !isSame(state.readTo, state.end);
  if (!canRead) return [{ ...state, batches }, effects];
  effects.push({ kind: 'read', slot, from: state.readTo });
  return [{ ...state, batches, reading: slot, readsLeft: state.readsLeft - 1 }, effects];
}

function toBatch({ slot, from, start, to, isDeadLetter }: Batch): Batch {
  return { slot, from, start, to, isDeadLetter };
}
