import { appendFile } from 'node:fs/promises';
import type { PoolClient } from 'pg';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import type { Site } from '#core/links/site.ts';
import { endOfLine, readClicks } from '#db/clicks/lines.ts';
import { type Ingest, isRefusal } from '#db/clicks/ingest.ts';
import type { Partitions } from '#db/clicks/partitions.ts';
import { sever } from '#db/connection/database.ts';
import { type Chunk, readChunk, rejectedPath, removeSegmentsBefore } from '#edge/journal/segments.ts';

/** A journal that is being shipped. */
export interface Shipment {
  readonly journalId: string;
  readonly directory: string;
  /** Where the database stands; shipping moves it. */
  offset: JournalOffset;
}

interface ShipOptions {
  ingest: Ingest;
  /**
   * With ClickHouse alone, which stores clicks before PostgreSQL counts them: reads the end of a batch that may be stored, and has to have the
   * same end again.
   */
  readPlan?: ((client: PoolClient, journalId: string) => Promise<JournalOffset | undefined>) | undefined;
  site: Pick<Site, 'originUrl'>;
  /** Undefined: clicks need none. */
  partitions: Partitions | undefined;
  /** Called with the number of records that a committed batch dead-lettered. */
  onDeadLetters(count: number): void;
  /** Unix time in milliseconds. */
  now(): number;
  chunkBytes?: number;
}

/** Ships the next chunk of a journal, up to `end`; false when nothing is left. */
export type Ship = (client: PoolClient, shipment: Shipment, end: JournalOffset) => Promise<boolean>;

/** Clicks gather for so long before they are shipped: well below the 2 s that statistics may be behind (5.5). */
export const gatherMs = 200;
// A transaction costs nearly the same for few clicks and for many, and many clicks share rows of counts.
const defaultChunkBytes = 4 * 1_024 * 1_024;
const newline = 0x0a;
const nothing = await readClicks(Buffer.alloc(0));

/** Moves records from a journal's files into the database. One call at a time: the read buffer is its own. */
export function createShip(options: ShipOptions): Ship {
  const { ingest, site, partitions, readPlan, onDeadLetters, now, chunkBytes = defaultChunkBytes } = options;
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);

  return async (client, shipment, journalEnd) => {
    const end = (await readPlan?.(client, shipment.journalId)) ?? journalEnd;
    const chunk = await readChunk(shipment.directory, shipment.offset, end, buffer);
    if (chunk === null) return false;
    await store(client, shipment, chunk);
    return true;
  };

  /** Stores records; halves of them where the database refuses one, until the refused record stands alone and is a dead letter. */
  async function store(client: PoolClient, shipment: Shipment, chunk: Chunk): Promise<void> {
    const { bytes, start } = chunk;
    try {
      await write(client, shipment, chunk, await readClicks(bytes));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const half = middleOf(bytes);
      // A dead letter writes no click: a database that refuses it refuses the shipping itself.
      if (half === bytes.length) return write(client, shipment, chunk, { ...nothing, rejected: [bytes] });
      await store(client, shipment, { bytes: bytes.subarray(0, half), start });
      const middle = { segment: start.segment, position: start.position + half };
      await store(client, shipment, { bytes: bytes.subarray(half), start: middle });
    }
  }

  async function write(
    client: PoolClient,
    shipment: Shipment,
    { bytes, start }: Chunk,
    { clicks, bots, rejected }: typeof nothing,
  ): Promise<void> {
    const { journalId, directory, offset: from } = shipment;
    const to = { segment: start.segment, position: start.position + bytes.length };
    await partitions?.ensure(clicks.months, now());
    // Before the commit: a record that is dead-lettered twice, after a crash, is better than a record that is lost.
    const deadLetter = (): Promise<void> =>
      appendFile(rejectedPath(directory, to.segment), Buffer.concat(rejected), { mode: 0o600 });
    const batch = { journalId, from, to, clicks, bots, rejected: rejected.length };
    await withDeadline(client, ingest(client, site, batch, rejected.length > 0 ? deadLetter : undefined));
    shipment.offset = to;
    if (rejected.length > 0) onDeadLetters(rejected.length);
    if (to.segment !== from.segment) await removeSegmentsBefore(directory, to.segment);
  }
}

/** The end of the line in the middle of `bytes`; the end of all where there is but one line. */
function middleOf(bytes: Buffer): number {
  const middle = bytes.lastIndexOf(newline, Math.floor(bytes.length / 2)) + 1;
  return middle > 0 ? middle : endOfLine(bytes, 0);
}

// Longer than a batch ever takes. PostgreSQL's own deadline is 30 s (db/clicks/ingest.ts).
const stepTimeoutMs = 20_000;

/** Waits for statements of a connection, and severs it after 20 s without an answer: the statements fail then. */
export async function withDeadline<T>(client: PoolClient, step: Promise<T>): Promise<T> {
  const timer = setTimeout(() => sever(client), stepTimeoutMs);
  try {
    return await step;
  } finally {
    clearTimeout(timer);
  }
}
