import { sql, type SqlBool } from 'kysely';
import { uuidv7 } from '#core/lib/uuid.ts';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ScanBatch } from '#db/entities/threats.ts';
import { enqueue, today } from '#db/outbox.ts';
import { listScanTargets, type ScanTarget } from './verdicts.ts';

/** A batch for the start of its workflow: how many destinations it has, and the first ones that still exist. */
export interface ScanBatchTarget {
  id: string;
  destinations: number;
  first: ScanTarget[];
}

/** Counts of a batch's URLs by their verdicts. `open`: awaited by now, because a later answer contradicts the first. */
interface ScanBatchCounts {
  answered: number;
  flagged: number;
  open: number;
}

// The search attribute of links has room for so many ids.
const shownAtOnce = 40;
const keptMs = 30 * 86_400_000;
const overdueMs = 60_000;
// A link's time is the API's, a batch's the database's.
const clocksDifferMs = 5_000;
// Choices. A later batch is found by SQL (docs/processes/reference.md).
const searchedMs = 3_600_000;
const batchesSearched = 100;

/** How many answered scans were put into a batch, and whether others wait. */
interface Gathered {
  taken: number;
  more: boolean;
}

/**
 * Puts answered scans into a batch, which waits in the outbox for its workflow, and counts them for their organizations' day.
 * @param options.limit the most scans of the batch; those of one row, which came together, stay together.
 */
// By hand: every create of a link comes through it (bench rows C1 and V1).
export async function gatherAnswered(
  sql: Sql,
  { limit, perDay }: { limit: number; perDay: number },
): Promise<Gathered> {
  const { rows } = await sql.query<Gathered>({
    name: 'scans_gather',
    text: `
      with waiting as materialized (
        select id, cardinality(subject_ids) as scans from unrecorded_scans order by id limit $1::int for update skip locked
      ), chosen as (
        select id from (select id, sum(scans) over (order by id) as total, row_number() over (order by id) as place
          from waiting) w
        where total <= $1::int or place = 1
      ), removed as (
        delete from unrecorded_scans where id in (select id from chosen) returning id, subject_ids, organization_ids
      ), taken as materialized (
        select r.id, s.place, s.subject_id, s.organization_id from removed r
        cross join lateral unnest(r.subject_ids, r.organization_ids) with ordinality as s (subject_id, organization_id, place)
      ), counted as (
        insert into scan_days as d (organization_id, day, scans, is_spent)
        select organization_id, ${today}, count(*), count(*) >= $2::int from taken group by 1 order by 1
        on conflict (organization_id, day) do update set
          scans = d.scans + excluded.scans, is_spent = d.scans + excluded.scans >= $2::int
      ), batch as (
        insert into scan_batches (id, subject_ids, link_ids)
        select $3, array_agg(t.subject_id order by t.id, t.place),
          array_agg(coalesce(d.link_id, t.subject_id) order by t.id, t.place)
        from taken t
        -- Looked up one by one: a plan from the time when the table was small would read all of it for each.
        left join lateral (select link_id from destinations where id = t.subject_id offset 0) d on true
        having count(*) > 0
        returning id
      ), queued as (
        insert into outbox (kind, subject_id) select 'scan-batch', id from batch
      )
      select (select count(*) from taken) as taken,
        (select count(*) from waiting) > (select count(*) from chosen) or (select count(*) from waiting) = $1::int as more`,
    values: [limit, perDay, uuidv7()],
  });
  return rows[0]!;
}

/**
 * Finds the batch in which the answered scan of a new link was.
 * @param madeAt when the link was made. @returns the id of the batch; undefined: the scan was looked up, waits, is 30 days ago, or
 * went into a batch an hour later, since Temporal was away.
 */
export async function findScanBatch(em: EntityManager, linkId: string, madeAt: Date): Promise<string | undefined> {
  // Without an index of the links in batches, which would cost each create an entry: a batch usually begins within seconds.
  const first = em.kysely
    .selectFrom('ScanBatch')
    .select(['id', 'linkIds', 'createdAt'])
    .where('createdAt', '>', new Date(madeAt.getTime() - clocksDifferMs))
    .where('createdAt', '<', new Date(madeAt.getTime() + searchedMs))
    .orderBy('createdAt')
    .limit(batchesSearched);
  const batch = await em.kysely
    .selectFrom(first.as('b'))
    .select('b.id')
    .where(sql<SqlBool>`${linkId}::uuid = any(b.link_ids)`)
    .orderBy('b.createdAt')
    .limit(1)
    .executeTakeFirst();
  return batch?.id;
}

/** Reads batches whose workflows are to be started; recorded ones are left out. */
export async function listScanBatchTargets(em: EntityManager, ids: readonly string[]): Promise<ScanBatchTarget[]> {
  if (ids.length === 0) return [];
  const batches = await em.kysely
    .selectFrom('ScanBatch')
    .select(({ fn, ref }) => [
      'id',
      fn<number>('cardinality', ['subjectIds']).as('destinations'),
      sql<string[]>`${ref('subjectIds')}[1:${sql.lit(shownAtOnce)}]`.as('first'),
    ])
    .where('id', 'in', ids)
    .where('recordedAt', 'is', null)
    .execute();
  const targets = await listScanTargets(em, [...new Set(batches.flatMap(({ first }) => first))]);
  return batches.map(({ id, destinations, first }) => {
    const shown = new Set(first);
    return { id, destinations, first: targets.filter(({ destinationId }) => shown.has(destinationId)) };
  });
}

/** Counts the verdicts of a batch. Destinations that were deleted meanwhile do not count. */
// By hand: it reads a thousand verdicts by key (bench rows C1 and V1).
export async function countScanBatch(sql: Sql, id: string): Promise<ScanBatchCounts> {
  const { rows } = await sql.query<ScanBatchCounts>({
    name: 'scans_batch',
    text: `
      with led as materialized (
        select distinct h.url_hash
        from scan_batches b cross join lateral unnest(b.subject_ids) as s (id)
        left join lateral (
          select url_hash || coalesce(deep_link_hashes, '{}') as hashes from destinations where id = s.id offset 0
        ) d on true
        -- A subject that is no destination is a link, for its expired URL.
        cross join lateral unnest(coalesce(d.hashes, (
          select array[hash_of_url(expired_url)] from short_links where id = s.id and expired_url is not null
        ))) as h (url_hash)
        where b.id = $1
      )
      select count(*) filter (where v.due_at is null) as answered,
        count(*) filter (where v.due_at is null and v.threat_types <> '{}') as flagged,
        count(*) filter (where v.due_at is not null) as open
      from led cross join lateral (select * from threat_verdicts t where t.url_hash = led.url_hash offset 0) v`,
    values: [id],
  });
  return rows[0]!;
}

/** Marks a batch as recorded. */
export async function finishScanBatch(em: EntityManager, id: string, now: Date): Promise<void> {
  await em.nativeUpdate(ScanBatch, { id, recordedAt: null }, { recordedAt: now });
}

/** Enqueues batches again that were not recorded in time: Temporal may have lost them. @returns how many. */
export async function requeueOverdueBatches(em: EntityManager, limit: number, now = new Date()): Promise<number> {
  return em.transactional(async (em) => {
    const overdue = await em.find(
      ScanBatch,
      { recordedAt: null, createdAt: { $lt: new Date(now.getTime() - overdueMs) } },
      { fields: ['id'], orderBy: { createdAt: 'asc' }, limit },
    );
    const ids = overdue.map(({ id }) => id);
    await enqueue(em, 'scan-batch', ids);
    return ids.length;
  });
}

/** Deletes batches that were recorded 30 days ago. */
export async function forgetOldBatches(em: EntityManager, now: Date): Promise<void> {
  await em.nativeDelete(ScanBatch, { recordedAt: { $ne: null }, createdAt: { $lt: new Date(now.getTime() - keptMs) } });
}
