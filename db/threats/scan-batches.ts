import { v7 as uuidv7 } from 'uuid';
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

/**
 * Puts answered scans into a batch, which waits in the outbox for its workflow, and counts them for their organizations' day.
 * @returns how many; fewer than `limit`: no others wait.
 */
// By hand: every create of a link comes through it (bench rows C1 and V1).
export async function gatherAnswered(sql: Sql, { limit, perDay }: { limit: number; perDay: number }): Promise<number> {
  const { rows } = await sql.query<{ taken: number }>({
    name: 'scans_gather',
    text: `
      with taken as (
        delete from answered_scans where id = any(array(
          select id from answered_scans order by id limit $1 for update skip locked))
        returning id, subject_id, organization_id
      ), counted as (
        insert into scan_days as d (organization_id, day, scans, is_spent)
        select organization_id, ${today}, count(*), count(*) >= $2::int from taken group by 1 order by 1
        on conflict (organization_id, day) do update set
          scans = d.scans + excluded.scans, is_spent = d.scans + excluded.scans >= $2::int
      ), batch as (
        insert into scan_batches (id, subject_ids, link_ids)
        select $3, array_agg(t.subject_id order by t.id), array_agg(coalesce(d.link_id, t.subject_id) order by t.id)
        from taken t
        -- Looked up one by one: a plan from the time when the table was small would read all of it for each.
        left join lateral (select link_id from destinations where id = t.subject_id offset 0) d on true
        having count(*) > 0
        returning id
      ), queued as (
        insert into outbox (kind, subject_id) select 'scan-batch', id from batch
      )
      select count(*) as taken from taken`,
    values: [limit, perDay, uuidv7()],
  });
  return rows[0]!.taken;
}

/** Reads batches whose workflows are to be started; recorded ones are left out. */
export async function listScanBatchTargets(em: EntityManager, ids: readonly string[]): Promise<ScanBatchTarget[]> {
  const batches = await em.find(
    ScanBatch,
    { id: { $in: [...ids] }, recordedAt: null },
    { fields: ['id', 'subjectIds'] },
  );
  const shown = new Map(batches.map(({ id, subjectIds }) => [id, new Set(subjectIds.slice(0, shownAtOnce))]));
  const targets = await listScanTargets(em, [...new Set([...shown.values()].flatMap((subjects) => [...subjects]))]);
  return batches.map(({ id, subjectIds }) => ({
    id,
    destinations: subjectIds.length,
    first: targets.filter(({ destinationId }) => shown.get(id)!.has(destinationId)),
  }));
}

/** Counts the verdicts of a batch. Destinations that were deleted meanwhile do not count. */
// By hand: it reads a thousand verdicts by key (bench rows C1 and V1).
export async function countScanBatch(sql: Sql, id: string): Promise<ScanBatchCounts> {
  const { rows } = await sql.query<ScanBatchCounts>({
    name: 'scans_batch',
    text: `
      with led as materialized (
        select h.url_hash
        from scan_batches b cross join lateral unnest(b.subject_ids) as s (id)
        cross join lateral (select url_hash, deep_link_hashes from destinations where id = s.id offset 0) d
        cross join lateral unnest(d.url_hash || coalesce(d.deep_link_hashes, '{}')) as h (url_hash)
        where b.id = $1
        union
        select hash_of_url(l.expired_url)
        from scan_batches b cross join lateral unnest(b.subject_ids) as s (id)
        cross join lateral (
          select expired_url from short_links where id = s.id and expired_url is not null offset 0) l
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
