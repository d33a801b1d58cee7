import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { clickColumns } from '#core/clicks/click.ts';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import { writeClickEvents } from './events.ts';
import { type Clicks, withoutLinks } from './lines.ts';
import { defaultPartition } from './partitions.ts';
import { isCheckViolation, isDataRefused } from '#db/connection/errors.ts';
import { addToRollups, type OrganizationClicks } from '#db/stats/rollups.ts';

// Longer than whoever ships lets a batch take (edge/shipper/connections.ts). What an edge locked that lost its power, or the network,
// would stay locked for hours; and one that was suspended is not to add clicks of links that have been purged meanwhile.
const vanishedMs = 30_000;

/** Clicks to be ingested, and how far the journal is ingested with them. */
interface IngestBatch {
  journalId: string;
  from: JournalOffset;
  to: JournalOffset;
  clicks: Clicks;
  /** How many records between `from` and `to` were set aside. */
  rejected: number;
}

/** What became of a batch. */
interface Ingested {
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

/** The database took other lines for clicks than were meant: something among them reads as an end or a break. */
class MisreadError extends Error {
  constructor(meant: number, taken: number | null) {
    super(`Of ${meant} clicks the database read ${taken}.`);
    this.name = 'MisreadError';
  }
}

/** Where a journal's ingestion stands; its row is made when there is none. */
export async function readOffset(client: PoolClient, journalId: string): Promise<JournalOffset> {
  await client.query('insert into journals (id) values ($1) on conflict do nothing', [journalId]);
  const { rows } = await client.query<JournalOffset>('select segment, position from journals where id = $1', [
    journalId,
  ]);
  return { segment: rows[0]!.segment, position: rows[0]!.position };
}

/** What else `ingest` waits for; where either fails, nothing is written. */
interface IngestSteps {
  /** Resolves when the batches before are in the database: until then only what no other batch waits for is done. */
  turn?: Promise<unknown>;
  /** Runs once the database has taken all of it. */
  beforeCommit?(): Promise<void>;
}

/**
 * Puts clicks into the database, exactly once: clicks, counters, events for subscribers and the journal's offset move in
 * one transaction, so that neither a click nor its event can be there alone (6.7).
 * @throws OffsetMovedError when the journal stands elsewhere than at `from`; nothing was written then.
 */
export async function ingest(
  client: PoolClient,
  batch: IngestBatch,
  { turn, beforeCommit }: IngestSteps = {},
): Promise<Ingested> {
  await client.query(`begin; set local idle_in_transaction_session_timeout = ${vanishedMs}`);
  try {
    const { clicks, perOrganization } = await keepLive(client, batch.clicks);
    const done = { ingested: clicks.count, dropped: batch.clicks.count - clicks.count };
    // Half of all the work, and it locks no row that another batch could want.
    if (clicks.count > 0) await copyClicks(client, clicks);
    await turn;
    await moveOffset(client, batch, done);
    if (clicks.count > 0) {
      await addToCounters(client, clicks);
      await addToRollups(client, perOrganization);
      await writeClickEvents(client, clicks, [...new Set(perOrganization.map(({ organizationId }) => organizationId))]);
    }
    await beforeCommit?.();
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Notes that a journal is shipped whole. */
export async function finishJournal(client: PoolClient, journalId: string): Promise<void> {
  await client.query('update journals set finished_at = now() where id = $1 and finished_at is null', [journalId]);
}

/** Notes that a journal is ingested as far as it held clicks of links that were given a cap until `moment` (ISO 8601). */
export async function noteCounted(client: PoolClient, journalId: string, moment: string): Promise<void> {
  await client.query('update journals set counted_at = greatest(counted_at, $2) where id = $1', [journalId, moment]);
}

/** Forgets journals that were shipped whole 30 days ago: nobody has their files any more. */
export async function forgetFinishedJournals(client: PoolClient): Promise<void> {
  await client.query(`delete from journals where finished_at < now() - interval '30 days'`);
}

/** Whether an error means that the database refuses a record, rather than that it cannot take any now. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof MisreadError) return true;
  // Not the click's fault: its month has just been given a partition, which the next attempt finds.
  return isDataRefused(error) && !isCheckViolation(error, defaultPartition);
}

/**
 * Leaves out clicks of links that are deleted by now, and sums the others up by organization. The database does the sums:
 * of many links come few rows.
 */
async function keepLive(
  client: PoolClient,
  clicks: Clicks,
): Promise<{ clicks: Clicks; perOrganization: OrganizationClicks[] }> {
  if (clicks.count === 0) return { clicks, perOrganization: [] };
  const { rows } = await client.query<{
    place: number;
    organizationId: string | null;
    clicks: number;
    gone: string[] | null;
  }>({
    name: 'ingest-live',
    text: `select a.place, l.organization_id as "organizationId", sum(a.clicks)::int as clicks,
        array_agg(a.link_id::text) filter (where l.id is null) as gone
      from unnest($1::uuid[], $2::int[], $3::int[]) a (link_id, place, clicks)
      left join short_links l on l.id = a.link_id and l.deleted_at is null
      group by 1, 2`,
    values: [
      arrayOf(clicks.quarters, ({ perLink }) => perLink.keys()),
      arrayOf(clicks.quarters, ({ perLink }, place) => Array.from({ length: perLink.size }, () => place)),
      arrayOf(clicks.quarters, ({ perLink }) => perLink.values()),
    ],
  });
  const gone = new Set(rows.flatMap((row) => row.gone ?? []));
  const perOrganization = rows.flatMap((row) => {
    const { organizationId } = row;
    const { day, quarter } = clicks.quarters[row.place]!;
    return organizationId === null ? [] : [{ organizationId, day, quarter, clicks: row.clicks }];
  });
  return { clicks: gone.size === 0 ? clicks : await withoutLinks(clicks, gone), perOrganization };
}

/** An array in PostgreSQL's own notation, of values that need no quotes: `pg` would look at each. */
function arrayOf<T>(items: readonly T[], values: (item: T, index: number) => Iterable<string | number>): string {
  return `{${items.map((item, index) => [...values(item, index)].join(',')).join(',')}}`;
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

async function copyClicks(client: PoolClient, { bytes, count, columns }: Clicks): Promise<void> {
  const names = clickColumns.slice(0, columns).join(', ');
  const stream = client.query(copyFrom(`copy clicks (${names}) from stdin`));
  stream.end(bytes);
  await finished(stream);
  // A line of `\.` alone ends a COPY before its time.
  if (stream.rowCount !== count) throw new MisreadError(count, stream.rowCount);
}

/** Adds to the counters in the order of their keys, so that two shippers cannot wait for one another. */
async function addToCounters(client: PoolClient, { perLink }: Clicks): Promise<void> {
  await client.query({
    name: 'ingest-counters',
    text: `insert into link_counters (link_id, clicks) select * from unnest($1::uuid[], $2::bigint[]) order by 1
      on conflict (link_id) do update set clicks = link_counters.clicks + excluded.clicks`,
    values: [arrayOf([perLink], (counts) => counts.keys()), arrayOf([perLink], (counts) => counts.values())],
  });
}
