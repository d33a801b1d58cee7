import { appendFile } from 'node:fs/promises';
import type { PoolClient } from 'pg';
import { endOfLine, readClicks } from '../../db/click-lines.ts';
import { type IngestBatch, ingest, isRefusal, type JournalOffset } from '../../db/ingest.ts';
import type { Partitions } from '../../db/partitions.ts';
import { readChunk, rejectedPath, removeSegmentsBefore } from '../journal/segments.ts';

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
  /** Hears how many records were set aside. */
  onRejected(count: number): void;
  /** Unix time in milliseconds. */
  now(): number;
  chunkBytes?: number;
}

/** Ships the next chunk of a journal, up to `end`; false when nothing is left. */
export type Ship = (client: PoolClient, shipment: Shipment, end: JournalOffset) => Promise<boolean>;

// What is behind is shipped by so much at a time: a transaction costs nearly the same for few clicks and for many, and of many
// there are more for each row of counts.
const defaultChunkBytes = 1_024 * 1_024;
const newline = 0x0a;

/** Makes the way of records from a journal's files into the database. */
export function createShip({ partitions, onRejected, now, chunkBytes = defaultChunkBytes }: ShipOptions): Ship {
  // One chunk at a time: what was read is in the database before the next is.
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);

  /** Ships lines that begin at `start`; a batch that the database refuses is halved until the culprit stands alone. */
  async function shipLines(client: PoolClient, shipment: Shipment, bytes: Buffer, start: JournalOffset): Promise<void> {
    const to = { segment: start.segment, position: start.position + bytes.length };
    const { clicks, rejected } = await readClicks(bytes);
    try {
      await store(client, shipment, { to, clicks }, rejected);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const half = middleOf(bytes);
      if (half === bytes.length) return store(client, shipment, { to, clicks: noClicks }, [bytes]);
      await shipLines(client, shipment, bytes.subarray(0, half), start);
      const middle = { segment: start.segment, position: start.position + half };
      await shipLines(client, shipment, bytes.subarray(half), middle);
    }
  }

  async function store(
    client: PoolClient,
    shipment: Shipment,
    { to, clicks }: Pick<IngestBatch, 'to' | 'clicks'>,
    rejected: readonly Buffer[],
  ): Promise<void> {
    const { journalId, directory, offset: from } = shipment;
    await partitions.ensure(clicks.months, now());
    // Before the commit: a record that is set aside twice, after a crash, is better than one that is nowhere.
    const setAside = (): Promise<void> => appendFile(rejectedPath(directory, to.segment), Buffer.concat(rejected));
    const batch = { journalId, from, to, clicks, rejected: rejected.length };
    await ingest(client, batch, rejected.length > 0 ? setAside : undefined);
    shipment.offset = to;
    if (rejected.length > 0) onRejected(rejected.length);
    if (to.segment > from.segment) await removeSegmentsBefore(directory, to.segment);
  }

  return async (client, shipment, end) => {
    const chunk = await readChunk(shipment.directory, shipment.offset, end, buffer);
    if (chunk === null) return false;
    await shipLines(client, shipment, chunk.bytes, chunk.start);
    return true;
  };
}

const { clicks: noClicks } = await readClicks(Buffer.alloc(0));

/** The end of the line in the middle of `bytes`; the end of all where there is but one line. */
function middleOf(bytes: Buffer): number {
  const middle = bytes.lastIndexOf(newline, Math.floor(bytes.length / 2)) + 1;
  return middle > 0 ? middle : endOfLine(bytes, 0);
}
