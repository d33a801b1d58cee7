import { appendFile } from 'node:fs/promises';
import type { PoolClient } from 'pg';
import { type Clicks, endOfLine, readClicks } from '#db/clicks/lines.ts';
import { ingest, isRefusal, type JournalOffset } from '#db/clicks/ingest.ts';
import type { Partitions } from '#db/clicks/partitions.ts';
import { type Chunk, readChunk, rejectedPath, removeSegmentsBefore } from '#edge/journal/segments.ts';
import { within } from './deadline.ts';
import { isSame } from './offset.ts';

/** A journal that is being shipped. */
export interface Shipment {
  readonly journalId: string;
  readonly directory: string;
  /** Where the database stands; shipping moves it. */
  offset: JournalOffset;
}

/** Settings of `createShip`. */
export interface ShipOptions {
  partitions: Partitions;
  /** Lends another connection for where more than a chunk is to be shipped, if one can be had at once. */
  withSecond<T>(work: (second: PoolClient | undefined) => Promise<T>): Promise<T>;
  /** Hears how many records were set aside. */
  onRejected(count: number): void;
  /** Unix time in milliseconds. */
  now(): number;
  chunkBytes?: number;
}

/** Ships what comes next of a journal, up to `end`; false when nothing is left. */
export type Ship = (client: PoolClient, shipment: Shipment, end: JournalOffset) => Promise<boolean>;

// What is behind is shipped by so much at a time: a transaction costs nearly the same for few clicks and for many, and of many
// there are more for each row of counts.
const defaultChunkBytes = 1_024 * 1_024;
// Then whoever asked has a look at what else there is: nobody's clicks wait long behind those of others (5.5).
const maxChunks = 6;
const newline = 0x0a;

/** Lines of a journal on their way into the database. */
interface Lines {
  bytes: Buffer;
  /** Where they begin; `from` is where the database stands then, which may be an end without a newline before. */
  start: JournalOffset;
  from: JournalOffset;
  /** Resolves when all lines before are in the database. */
  turn: Promise<unknown>;
}

/** Makes the way of records from a journal's files into the database. */
export function createShip(options: ShipOptions): Ship {
  const { partitions, withSecond, onRejected, now, chunkBytes = defaultChunkBytes } = options;
  // What was read into one is in the database before it is read into again.
  const buffers: [Buffer, Buffer?] = [Buffer.allocUnsafeSlow(chunkBytes)];

  /** Ships lines; a batch that the database refuses is halved until the culprit stands alone. */
  async function shipLines(client: PoolClient, shipment: Shipment, lines: Lines): Promise<void> {
    const { bytes, start, from, turn } = lines;
    const { clicks, rejected } = await readClicks(bytes);
    try {
      await store(client, shipment, lines, clicks, rejected);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const half = middleOf(bytes);
      if (half === bytes.length) return store(client, shipment, lines, noClicks, [bytes]);
      await shipLines(client, shipment, { bytes: bytes.subarray(0, half), start, from, turn });
      const middle = { segment: start.segment, position: start.position + half };
      await shipLines(client, shipment, { bytes: bytes.subarray(half), start: middle, from: middle, turn });
    }
  }

  async function store(
    client: PoolClient,
    shipment: Shipment,
    { bytes, start, from, turn }: Lines,
    clicks: Clicks,
    rejected: readonly Buffer[],
  ): Promise<void> {
    const { journalId, directory } = shipment;
    const to = endOf({ bytes, start });
    await partitions.ensure(clicks.months, now());
    // Before the commit: a record that is set aside twice, after a crash, is better than one that is nowhere.
    const setAside = (): Promise<void> =>
      appendFile(rejectedPath(directory, to.segment), Buffer.concat(rejected), { mode: 0o600 });
    const batch = { journalId, from, to, clicks, rejected: rejected.length };
    const steps = { turn, ...(rejected.length > 0 && { beforeCommit: setAside }) };
    await within(client, ingest(client, batch, steps));
    shipment.offset = to;
    if (rejected.length > 0) onRejected(rejected.length);
    if (to.segment > from.segment) await removeSegmentsBefore(directory, to.segment);
  }

  /** Ships two chunks and those behind them: while the transaction of one ends, the clicks of the next are copied. */
  async function shipInTurns(
    clients: readonly PoolClient[],
    shipment: Shipment,
    chunks: readonly [Chunk, Chunk],
    end: JournalOffset,
  ): Promise<void> {
    let from = shipment.offset;
    let turn: Promise<void> = Promise.resolve();
    /** What is under way, in order: with each connection, one chunk at most. */
    const shipping: Promise<void>[] = [];
    try {
      for (let number = 0; number < maxChunks; number += 1) {
        const isRead = number < chunks.length;
        if (!isRead) await shipping.shift();
        const chunk = isRead ? chunks[number]! : await read(shipment, from, end, number);
        if (chunk === null) break;
        turn = shipLines(clients[number % clients.length]!, shipment, { ...chunk, from, turn });
        // Whoever waits hears of a failure; until then it is not one that nobody heard of.
        turn.catch(() => undefined);
        shipping.push(turn);
        from = endOf(chunk);
      }
      await turn;
    } finally {
      await Promise.allSettled(shipping);
    }
  }

  function read(
    { directory }: Shipment,
    from: JournalOffset,
    end: JournalOffset,
    number: number,
  ): Promise<Chunk | null> {
    const buffer = (buffers[number % 2] ??= Buffer.allocUnsafeSlow(chunkBytes));
    return readChunk(directory, from, end, buffer);
  }

  return async (client, shipment, end) => {
    const first = await read(shipment, shipment.offset, end, 0);
    if (first === null) return false;
    const next = endOf(first);
    const second = isSame(next, end) ? null : await read(shipment, next, end, 1);
    const alone = { ...first, from: shipment.offset, turn: Promise.resolve() };
    if (second === null) await shipLines(client, shipment, alone);
    else
      await withSecond((other) =>
        other === undefined
          ? shipLines(client, shipment, alone)
          : shipInTurns([client, other], shipment, [first, second], end),
      );
    return true;
  };
}

const { clicks: noClicks } = await readClicks(Buffer.alloc(0));

function endOf({ bytes, start }: Chunk): JournalOffset {
  return { segment: start.segment, position: start.position + bytes.length };
}

/** The end of the line in the middle of `bytes`; the end of all where there is but one line. */
function middleOf(bytes: Buffer): number {
  const middle = bytes.lastIndexOf(newline, Math.floor(bytes.length / 2)) + 1;
  return middle > 0 ? middle : endOfLine(bytes, 0);
}
