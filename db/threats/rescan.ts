import { sql } from 'kysely';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { leadingTo, type ScanSubject } from './verdicts.ts';

/** A page of all verdicts, in the order of their keys. */
interface RescanPage {
  /** Verdicts to scan again: no scan of them is under way, and a live link or domain leads to them. */
  due: ScanSubject[];
  /** Key (hexadecimal) of the last verdict of the page; null: there are no more. */
  last: string | null;
}

/**
 * Reads the next `limit` verdicts after a key, and which of them are due: expired ones, and clean ones from before
 * `askedBefore`, since Web Risk gives no time for which a URL stays clean. However few are due, no more rows are read.
 */
// By hand: for each of a thousand verdicts `leadingTo` finds by index what leads to its URL, and only due verdicts leave the database;
// no benchmark runs it.
export async function readRescanPage(
  db: Sql,
  { after, limit, askedBefore }: { after: string | null; limit: number; askedBefore: Date },
): Promise<RescanPage> {
  const { rows } = await db.query<{ last: string | null; seen: number; due: ScanSubject[] }>({
    name: 'rescan_page',
    text: `
      with page as materialized (
        select url_hash, url, threat_types, scanned_at, expires_at, due_at from threat_verdicts
        where url_hash > decode($1, 'hex') order by url_hash limit $2
      ), due as (
        select encode(url_hash, 'hex') as "urlHash", url, threat_types as "threatTypes", false as fresh
        from page p
        where due_at is null
          and (coalesce(expires_at <= now(), true) or threat_types = '{}' and scanned_at < $3)
          and exists (${leadingTo('p.url_hash')})
        order by url_hash
      )
      select (select encode(url_hash, 'hex') from page order by url_hash desc limit 1) as last,
        (select count(*) from page) as seen,
        (select coalesce(json_agg(due), '[]') from due) as due`,
    values: [after ?? '', limit, askedBefore],
  });
  const { last, seen, due } = rows[0]!;
  return { due, last: seen < limit ? null : last };
}

/** Leaves URLs without an answer to ordinary scans, which repeat with growing gaps. */
export async function leaveToScans(em: EntityManager, urlHashes: readonly string[], dueInMs: number): Promise<void> {
  await em.transactional(async (em) => {
    // Lock order: verdicts by their keys (docs/locks.md).
    const open = await em.kysely
      .selectFrom('ThreatVerdict')
      .select('urlHash')
      .where(
        'urlHash',
        'in',
        urlHashes.map((hash) => Buffer.from(hash, 'hex')),
      )
      .where('dueAt', 'is', null)
      .orderBy('urlHash')
      .forUpdate()
      .execute();
    if (open.length === 0) return;
    await em.kysely
      .updateTable('ThreatVerdict')
      .set({ requestedAt: sql`now()`, dueAt: sql`now() + ${dueInMs} * interval '1 millisecond'` })
      .where(
        'urlHash',
        'in',
        open.map(({ urlHash }) => urlHash),
      )
      .execute();
  });
}
