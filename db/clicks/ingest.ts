import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { botClickColumns } from '#core/clicks/click.ts';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import type { Site } from '#core/links/site.ts';
import { lockClickEvents, writeCapEvents, writeClickEvents } from './events.ts';
import { type Clicks, withoutLinks } from './lines.ts';
import { defaultPartition } from './partitions.ts';
import { isCheckViolation, isDataRefused } from '#db/connection/errors.ts';
import { addToDayCounts, type OrganizationClicks } from '#db/stats/day-counts.ts';

// Longer than the 20 s that the shipper allows a batch (edge/shipper/ship.ts). Rows that an edge locked before it lost
// power or the network would stay locked for hours otherwise; and a suspended edge must not insert clicks of links that have
// been removed meanwhile.
const vanishedMs = 30_000;

export interface IngestBatch {
  journalId: string;
  from: JournalOffset;
  to: JournalOffset;
  clicks: Clicks;
  /** Visits of bots; unset: none. They are kept beside the clicks, and counted nowhere (5.10). */
  bots?: Clicks;
  /** Records between `from` and `to` that were dead-lettered. */
  rejected: number;
}

interface Ingested {
  ingested: number;
  /** Clicks of deleted links. */
  dropped: number;
}

/** The journal's offset is not at `from`: another process ships it. */
export class OffsetMovedError extends Error {
  constructor(journalId: string) {
    super(`Journal ${journalId} is being shipped by another process.`);
    this.name = 'OffsetMovedError';
  }
}

/** COPY read another number of rows than was sent: a line holds an end mark or a line break. */
class MisreadError extends Error {
  constructor(meant: number, taken: number | null) {
    super(`Of ${meant} clicks the database read ${taken}.`);
    this.name = 'MisreadError';
  }
}

// By hand, every statement of this file: the edge, which loads no ORM, ships clicks by them (bench row I1).

/** Reads how far a journal is ingested; inserts its row where it is missing. */
export async function readOffset(client: PoolClient, journalId: string): Promise<JournalOffset> {
  // The update changes nothing: it returns the row that is there.
  const { rows } = await client.query<JournalOffset>(
    'insert into journals (id) values ($1) on conflict (id) do update set id = excluded.id returning segment, position',
    [journalId],
  );
  return rows[0]!;
}

/**
 * Ingests a batch exactly once, into the database that counts it too.
 * @param beforeCommit runs once the database has taken the whole batch; where it rejects, nothing is written.
 */
export type Ingest = (
  client: PoolClient,
  site: Pick<Site, 'originUrl'>,
  batch: IngestBatch,
  beforeCommit?: () => Promise<void>,
) => Promise<Ingested>;

/**
 * Ingests a batch exactly once: clicks, counters, events for subscribers and the journal's offset change in one transaction
 * (6.7).
 * @throws OffsetMovedError when the journal's offset is not at `from`; nothing was written then.
 */
export const ingest: Ingest = (client, site, batch, beforeCommit) =>
  inTransaction(client, async () => {
    const live = await keepLive(client, batch.clicks);
    if (live.clicks.count > 0) await copyClicks(client, 'clicks', live.clicks);
    if (batch.bots !== undefined && batch.bots.count > 0) await copyBots(client, batch.bots);
    const done = await countClicks(client, site, batch, live, { isCountedByDay: true });
    await beforeCommit?.();
    return done;
  });

/** Runs work in a transaction of a connection that ships. */
export async function inTransaction<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query(`begin; set local idle_in_transaction_session_timeout = ${vanishedMs}; ${lockClickEvents}`);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * Moves a journal's offset behind a batch, and adds its clicks to counters, with events for subscribers.
 * @param options `isCountedByDay`: statistics read the clicks in this database, and its counts of days.
 * @throws OffsetMovedError when the journal's offset is not at `from`.
 */
export async function countClicks(
  client: PoolClient,
  site: Pick<Site, 'originUrl'>,
  batch: IngestBatch,
  { clicks, perOrganization }: LiveClicks,
  { isCountedByDay }: { isCountedByDay: boolean },
): Promise<Ingested> {
  const done = { ingested: clicks.count, dropped: batch.clicks.count - clicks.count };
  await moveOffset(client, batch, done);
  if (clicks.count === 0) return done;
  await addToCounters(client, clicks);
  if (isCountedByDay) await addToDayCounts(client, perOrganization);
  const organizations = [...new Set(perOrganization.map(({ organizationId }) => organizationId))];
  await writeClickEvents(client, clicks, organizations, site);
  await writeCapEvents(client, clicks, site);
  return done;
}

export async function finishJournal(client: PoolClient, journalId: string): Promise<void> {
  await client.query('update journals set finished_at = now() where id = $1 and finished_at is null', [journalId]);
}

/** Marks a journal as ingested up to the clicks of links that got a cap until `moment` (ISO 8601). */
export async function noteCounted(client: PoolClient, journalId: string, moment: string): Promise<void> {
  await client.query('update journals set counted_at = greatest(counted_at, $2) where id = $1', [journalId, moment]);
}

/** Whether the database refuses the record itself, as opposed to every record at this moment. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof MisreadError) return true;
  // Not the click's fault: its month has just got a partition, which the next attempt finds.
  return isDataRefused(error) && !isCheckViolation(error, defaultPartition);
}

/** Clicks of links that are not deleted. */
export interface LiveClicks {
  clicks: Clicks;
  perOrganization: OrganizationClicks[];
}

/** Leaves out clicks of deleted links, and sums up the others by organization. The database adds up: many links, few rows. */
export async function keepLive(client: PoolClient, clicks: Clicks): Promise<LiveClicks> {
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
      arrayOf(clicks.quarters, ({ perLink }) => Array.from(perLink.values(), ({ clicks: count }) => count)),
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

/** An array in PostgreSQL's notation, of values without quotes: `pg` would escape each. */
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

async function copyBots(client: PoolClient, bots: Clicks): Promise<void> {
  const { clicks } = await keepLive(client, bots);
  if (clicks.count > 0) await copyClicks(client, 'bot_clicks', clicks);
}

async function copyClicks(
  client: PoolClient,
  table: 'clicks' | 'bot_clicks',
  { bytes, count, columns }: Clicks,
): Promise<void> {
  const names = botClickColumns.slice(0, columns).join(', ');
  const stream = client.query(copyFrom(`copy ${table} (${names}) from stdin`));
  stream.end(bytes);
  await finished(stream);
  // A line of `\.` alone ends a COPY early.
  if (stream.rowCount !== count) throw new MisreadError(count, stream.rowCount);
}

/** Adds to the counters in the order of their keys: two shippers cannot deadlock. */
async function addToCounters(client: PoolClient, { perLink }: Clicks): Promise<void> {
  await client.query({
    name: 'ingest-counters',
    text: `insert into link_counters (link_id, clicks, last_clicked_at)
      select link_id, clicks, timestamptz 'epoch' + last_ms * interval '1 millisecond'
      from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as a (link_id, clicks, last_ms) order by 1
      on conflict (link_id) do update set clicks = link_counters.clicks + excluded.clicks,
        last_clicked_at = greatest(link_counters.last_clicked_at, excluded.last_clicked_at)`,
    values: [
      arrayOf([perLink], (links) => links.keys()),
      arrayOf([perLink], (links) => Array.from(links.values(), ({ clicks }) => clicks)),
      arrayOf([perLink], (links) => Array.from(links.values(), ({ lastMs }) => lastMs)),
    ],
  });
}
