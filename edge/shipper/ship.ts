import type { Site } from '#core/links/site.ts';
import { appendFile } from 'node:fs/promises';
import type { PoolClient } from 'pg';
import {
  type Batch,
  type BatchesEffect,
  type BatchesEvent,
  beginBatches,
  type Slot,
  reduceBatches,
} from '#core/clicks/batches.ts';
import { isSame, type JournalOffset } from '#core/clicks/journal-offset.ts';
import { endOfLine, readClicks } from '#db/clicks/lines.ts';
import { type Ingest, isRefusal } from '#db/clicks/ingest.ts';
import type { Partitions } from '#db/clicks/partitions.ts';
import { type Chunk, readChunk, rejectedPath, removeSegmentsBefore } from '#edge/journal/segments.ts';
import { withDeadline } from './connections.ts';

/** A journal that is being shipped. */
export interface Shipment {
  readonly journalId: string;
  readonly directory: string;
  /** Where the database stands; shipping moves it. */
  offset: JournalOffset;
}

/** What shipping needs. */
interface ShipOptions {
  ingest: Ingest;
  /**
   * With ClickHouse alone, which stores clicks before PostgreSQL counts them: reads the end of a batch that may be stored, and has to have the
   * same end again. Batches follow one another then.
   */
  readPlan?: ((client: PoolClient, journalId: string) => Promise<JournalOffset | undefined>) | undefined;
  /** Tells the short URLs of links, for events. */
  site: Pick<Site, 'originUrl'>;
  /** Undefined: clicks need none. */
  partitions: Partitions | undefined;
  /** Lends a second connection where more than a chunk is to be shipped; undefined: none is free. */
  withSecond<T>(work: (second: PoolClient | undefined) => Promise<T>): Promise<T>;
  /** Called with the number of records that a committed batch dead-lettered. */
  onDeadLetters(count: number): void;
  /** Unix time in milliseconds. */
  now(): number;
  chunkBytes?: number;
}

/** Ships what comes next of a journal, up to `end`; false when nothing is left. */
export type Ship = (client: PoolClient, shipment: Shipment, end: JournalOffset) => Promise<boolean>;

// A transaction costs nearly the same for few clicks and for many, and many clicks share rows of counts.
const defaultChunkBytes = 1_024 * 1_024;
// Then other journals have their turn: their clicks may be 2 s late too (5.5).
const maxChunks = 6;
const newline = 0x0a;

/** Moves records from a journal's files into the database. One call at a time: the read buffers are its own. */
export function createShip(options: ShipOptions): Ship {
  const { withSecond, chunkBytes = defaultChunkBytes } = options;
  const buffers: [Buffer, Buffer?] = [Buffer.allocUnsafeSlow(chunkBytes)];

  function read(directory: string, slot: Slot, from: JournalOffset, end: JournalOffset): Promise<Chunk | null> {
    const buffer = (buffers[slot] ??= Buffer.allocUnsafeSlow(chunkBytes));
    return readChunk(directory, from, end, buffer);
  }

  return async (client, shipment, journalEnd) => {
    const { directory, offset } = shipment;
    const end = (await options.readPlan?.(client, shipment.journalId)) ?? journalEnd;
    const first = await read(directory, 0, offset, end);
    if (first === null) return false;
    const next = endOf(first);
    const isAlone = options.readPlan !== undefined || isSame(next, end);
    const second = isAlone ? null : await read(directory, 1, next, end);
    const run = (clients: readonly PoolClient[], chunks: readonly Chunk[]): Promise<void> =>
      runBatches({
        ...options,
        clients,
        shipment,
        end,
        chunks,
        read: (slot, from) => read(directory, slot, from, end),
      });
    if (second === null) await run([client], [first]);
    else
      await withSecond((other) =>
        other === undefined ? run([client], [first]) : run([client, other], [first, second]),
      );
    return true;
  };
}

interface Run extends Pick<ShipOptions, 'ingest' | 'site' | 'partitions' | 'onDeadLetters' | 'now'> {
  /** A connection for each slot. */
  clients: readonly PoolClient[];
  shipment: Shipment;
  end: JournalOffset;
  /** Read already, in order of the slots. */
  chunks: readonly Chunk[];
  read(slot: Slot, from: JournalOffset): Promise<Chunk | null>;
}

/**
 * Performs the effects of `core/clicks/batches` until nothing is under way.
 * @throws (rejects) the first error that is no refusal of a record.
 */
async function runBatches({ clients, shipment, end, chunks, read, ...options }: Run): Promise<void> {
  const ahead = [...chunks];
  const slotChunks: Chunk[] = [];
  /** Turns to commit, by the position before the batch. */
  const turns = new Map<string, PromiseWithResolvers<void>>();
  const failures: unknown[] = [];
  let pending = 0;
  const done = Promise.withResolvers<void>();
  const slots = clients.map((_client, slot) => slot as Slot);
  let [state, effects] = beginBatches(shipment.offset, end, slots, clients.length === 1 ? 1 : maxChunks);

  function dispatch(event: BatchesEvent): void {
    [state, effects] = reduceBatches(state, event);
    shipment.offset = state.offset;
    performAll(effects);
  }

  function performAll(effects: readonly BatchesEffect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'commit') turns.get(keyOf(effect.batch))!.resolve();
      else void perform(effect);
    }
  }

  async function perform(effect: Exclude<BatchesEffect, { kind: 'commit' }>): Promise<void> {
    pending += 1;
    try {
      if (effect.kind === 'read') dispatch(await readInto(effect.slot, effect.from));
      else if (effect.kind === 'store') dispatch(await store(effect.batch));
      else await removeSegmentsBefore(shipment.directory, effect.before);
    } catch (error) {
      failures.push(error);
      dispatch({ kind: 'failed' });
      for (const turn of turns.values()) turn.reject(error);
    } finally {
      pending -= 1;
      if (pending === 0) done.resolve();
    }
  }

  async function readInto(slot: Slot, from: JournalOffset): Promise<BatchesEvent> {
    const chunk = ahead.shift() ?? (await read(slot, from));
    if (chunk === null) return { kind: 'readAll' };
    slotChunks[slot] = chunk;
    return { kind: 'read', start: chunk.start, to: endOf(chunk) };
  }

  async function store(batch: Batch): Promise<BatchesEvent> {
    const turn = Promise.withResolvers<void>();
    // Avoids an unhandled rejection: the transaction may have failed before it awaits its turn.
    turn.promise.catch(() => undefined);
    turns.set(keyOf(batch), turn);
    const chunk = slotChunks[batch.slot]!;
    const [begin, finish] = [batch.start.position, batch.to.position].map((at) => at - chunk.start.position);
    const bytes = chunk.bytes.subarray(begin, finish);
    try {
      await writeBatch(clients[batch.slot]!, batch, bytes, turn.promise);
      return { kind: 'stored', batch };
    } catch (error) {
      // A dead letter writes no click: a database that refuses it refuses the shipping itself.
      if (!isRefusal(error) || batch.isDeadLetter) throw error;
      const half = middleOf(bytes);
      const { segment, position } = batch.start;
      return { kind: 'refused', batch, middle: half === bytes.length ? null : { segment, position: position + half } };
    }
  }

  async function writeBatch(client: PoolClient, batch: Batch, bytes: Buffer, turn: Promise<void>): Promise<void> {
    const { clicks, bots, rejected } = batch.isDeadLetter ? { ...nothing, rejected: [bytes] } : await readClicks(bytes);
    await options.partitions?.ensure(clicks.months, options.now());
    // Before the commit: a record that is dead-lettered twice, after a crash, is better than a record that is lost.
    const deadLetter = (): Promise<void> =>
      appendFile(rejectedPath(shipment.directory, batch.to.segment), Buffer.concat(rejected), { mode: 0o600 });
    const { from, to } = batch;
    const ingested = { journalId: shipment.journalId, from, to, clicks, bots, rejected: rejected.length };
    const steps = { turn, ...(rejected.length > 0 && { beforeCommit: deadLetter }) };
    await withDeadline(client, options.ingest(client, options.site, ingested, steps));
    if (rejected.length > 0) options.onDeadLetters(rejected.length);
  }

  performAll(effects);
  await done.promise;
  if (failures.length > 0) throw failures[0];
}

const nothing = await readClicks(Buffer.alloc(0));

const keyOf = ({ from }: Batch): string => `${from.segment}/${from.position}`;

function endOf({ bytes, start }: Chunk): JournalOffset {
  return { segment: start.segment, position: start.position + bytes.length };
}

/** The end of the line in the middle of `bytes`; the end of all where there is but one line. */
function middleOf(bytes: Buffer): number {
  const middle = bytes.lastIndexOf(newline, Math.floor(bytes.length / 2)) + 1;
  return middle > 0 ? middle : endOfLine(bytes, 0);
}
