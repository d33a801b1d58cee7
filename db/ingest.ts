import { finished } from 'node:stream/promises';
import pg, { type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { clickColumns } from '../core/click.ts';

/** A place in a journal: bytes `position` of the segment with that number. */
export interface JournalOffset {
  segment: number;
  position: number;
}

/** Records to be ingested, and how far the journal is ingested with them. */
export interface IngestBatch {
  journalId: string;
  from: JournalOffset;
  to: JournalOffset;
  rows: readonly ClickRow[];
  /** How many records between `from` and `to` were set aside. */
  rejected: number;
}

/** A click on its way into the database. */
export interface ClickRow {
  linkId: string;
  clickedAtMs: number;
  /** The row in COPY's text format, newline included. */
  copyText: string;
}

/** What became of a batch. */
export interface Ingested {
  ingested: number;
  /** Clicks of links that are deleted by now (12.2). */
  dropped: number;
}

/** The journal was ingested from another place than `from`: someone else ships it. */
export class OffsetMovedError extends Error {
  constructor(journalId: string) {
    super(`Journal ${journalId} is being shipped by another process.`);
    this.name = 'OffsetMovedError';
  }
}

// Where the fields of constant length lie in a line.
const clickedAtStart = 37;
const monthLength = 7;
const linkIdStart = 62;
const linkIdEnd = 98;
const newline = 0x0a;
const tab = 0x09;
const minColumns = 24;

/**
 * Reads lines of a journal, as far as their form goes: what passes may still be refused by the database.
 * @param bytes whole lines.
 */
export function readClicks(bytes: Buffer): { clicks: Clicks; rejected: Buffer[] } {
  const rejected: Buffer[] = [];
  const kept: Buffer[] = [];
  const perLink = new Map<string, number>();
  const months = new Set<string>();
  let count = 0;
  let columns = 0;
  for (const [start, end] of linesOf(bytes)) {
    const line = bytes.subarray(start, end);
    columns ||= countColumns(line);
    if (!hasForm(line) || columns > clickColumns.length) {
      rejected.push(line);
      continue;
    }
    const linkId = line.latin1Slice(linkIdStart, linkIdEnd);
    perLink.set(linkId, (perLink.get(linkId) ?? 0) + 1);
    months.add(line.latin1Slice(clickedAtStart, clickedAtStart + monthLength));
    kept.push(line);
    count += 1;
  }
  const lines = rejected.length === 0 ? bytes : Buffer.concat(kept);
  return { clicks: { lines, count, columns, perLink, months }, rejected };
}

/** Where a journal's ingestion stands; its row is made when there is none. */
export async function readOffset(client: PoolClient, journalId: string): Promise<JournalOffset> {
  await client.query('insert into journals (id) values ($1) on conflict do nothing', [journalId]);
  const { rows } = await client.query<JournalOffset>('select segment, position from journals where id = $1', [
    journalId,
  ]);
  return { segment: rows[0]!.segment, position: rows[0]!.position };
}

/**
 * Puts clicks into the database, exactly once: clicks, counters and the journal's offset move in one transaction.
 * @param beforeCommit runs once the database has taken all of it; where it fails, nothing was written.
 * @throws OffsetMovedError when the journal stands elsewhere than at `from`; nothing was written then.
 */
export async function ingest(
  client: PoolClient,
  batch: IngestBatch,
  beforeCommit?: () => Promise<void>,
): Promise<Ingested> {
  await client.query('begin');
  try {
    const rows = await keepLive(client, batch.rows);
    const dropped = batch.rows.length - rows.length;
    await moveOffset(client, batch, { ingested: rows.length, dropped });
    if (rows.length > 0) {
      await copyClicks(client, rows);
      await addToCounters(client, rows);
    }
    await beforeCommit?.();
    await client.query('commit');
    return { ingested: rows.length, dropped };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Notes that a journal is shipped whole. */
export async function finishJournal(client: PoolClient, journalId: string): Promise<void> {
  await client.query('update journals set finished_at = now() where id = $1 and finished_at is null', [journalId]);
}

/** Whether an error means that the database refuses a record, rather than that it cannot take any now. */
export function isRefusal(error: unknown): boolean {
  // Data exceptions, broken constraints, limits of the program.
  return error instanceof pg.DatabaseError && /^(?:22|23|54)/.test(error.code ?? '');
}

/** Takes (or fails to take) the right to ship a journal, for as long as the connection lives. */
export async function lockJournal(client: PoolClient, journalId: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    lockKey(journalId),
  ]);
  return rows[0]?.locked === true;
}

/** Gives back what `lockJournal` took. */
export async function unlockJournal(client: PoolClient, journalId: string): Promise<void> {
  await client.query('select pg_advisory_unlock($1)', [lockKey(journalId)]);
}

function lockKey(journalId: string): string {
  return BigInt.asIntN(64, BigInt(`0x${journalId.replaceAll('-', '').slice(16)}`)).toString();
}

async function keepLive(client: PoolClient, rows: readonly ClickRow[]): Promise<readonly ClickRow[]> {
  if (rows.length === 0) return rows;
  const linkIds = [...new Set(rows.map((row) => row.linkId))];
  const found = await client.query<{ id: string }>({
    name: 'ingest-live',
    text: 'select id from short_links where id = any($1::uuid[]) and deleted_at is null',
    values: [linkIds],
  });
  if (found.rows.length === linkIds.length) return rows;
  const live = new Set(found.rows.map((row) => row.id));
  return rows.filter((row) => live.has(row.linkId));
}

/** Locks the journal's row: a second shipper waits here, and then finds the offset moved. */
async function moveOffset(
  client: PoolClient,
  { journalId, from, to, rejected }: IngestBatch,
  { ingested, dropped }: Ingested,
): Promise<void> {
  const moved = await client.query({
    name: 'ingest-offset',
    text: `update journals set segment = $4, position = $5, ingested = ingested + $6, dropped = dropped + $7,
        rejected = rejected + $8, ingested_at = now()
      where id = $1 and segment = $2 and position = $3`,
    values: [journalId, from.segment, from.position, to.segment, to.position, ingested, dropped, rejected],
  });
  if (moved.rowCount !== 1) throw new OffsetMovedError(journalId);
}

async function copyClicks(client: PoolClient, rows: readonly ClickRow[]): Promise<void> {
  const stream = client.query(copyFrom(`copy clicks (${clickColumns.join(', ')}) from stdin`));
  stream.end(rows.map((row) => row.copyText).join(''));
  await finished(stream);
}

/** Adds to the counters in the order of their keys, so that two shippers cannot wait for one another. */
async function addToCounters(client: PoolClient, rows: readonly ClickRow[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { linkId } of rows) counts.set(linkId, (counts.get(linkId) ?? 0) + 1);
  const linkIds = [...counts.keys()].toSorted();
  await client.query({
    name: 'ingest-counters',
    text: `insert into link_counters (link_id, clicks) select * from unnest($1::uuid[], $2::bigint[])
      on conflict (link_id) do update set clicks = link_counters.clicks + excluded.clicks`,
    values: [linkIds, linkIds.map((linkId) => counts.get(linkId))],
  });
}
