import { urlHash } from '#commands/threats/verdicts.ts';
import type { Sql } from '#db/connection/database.ts';
import type { KnownCreate, KnownLink } from './ledger.ts';

/** A ledger's clicks as the database has them. */
export interface ClickAudit {
  /** Clicks stored. */
  stored: number;
  /** Redirects that clients saw, and that are not among the clicks, or not in the counters. */
  lost: number;
  /** Clicks beyond the possible visits, duplicate ids, and counts beyond the clicks. */
  twice: number;
}

/** Requested links as the database has them. */
export interface LinkAudit {
  /** Creates without a link, or with another link than the answer named. */
  lost: number;
  /** Links beyond one for each create. */
  twice: number;
  /** Destinations without their right verdict. */
  verdictsMissing: number;
}

/** Compares clicks and counters of some links with what visitors saw. */
export async function auditClicks(sql: Sql, links: readonly KnownLink[]): Promise<ClickAudit> {
  const { rows } = await sql.query<{ id: string; stored: number; distinct: number; counted: number }>(
    `select known.id, clicks.stored, clicks."distinct", coalesce(counter.clicks, 0) as counted
     from unnest($1::uuid[]) as known (id)
     cross join lateral (
       select count(*) as stored, count(distinct c.id) as "distinct" from clicks c where c.link_id = known.id
     ) clicks
     left join link_counters counter on counter.link_id = known.id`,
    [links.map((link) => link.id)],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const audit = { stored: 0, lost: 0, twice: 0 };
  for (const link of links) {
    const { stored, distinct, counted } = found.get(link.id)!;
    audit.stored += stored;
    audit.lost += Math.max(0, link.seen - stored) + Math.max(0, stored - counted);
    audit.twice += stored - distinct + Math.max(0, stored - link.seen - link.unsure) + Math.max(0, counted - stored);
  }
  return audit;
}

/** Compares links and verdicts with the requests. */
export async function auditLinks(sql: Sql, creates: readonly KnownCreate[]): Promise<LinkAudit> {
  const { rows } = await sql.query<{ url: string; ids: string[]; scanned: boolean; types: string | null }>(
    `select known.url, scanned_at is not null as scanned, array_to_string(v.threat_types, ',') as types,
       array(select l.id from destinations d join short_links l on l.id = d.link_id and l.deleted_at is null
         where d.url_hash = known.hash and d.rule_id is null) as ids
     from unnest($1::text[], $2::bytea[]) as known (url, hash) left join threat_verdicts v on v.url_hash = known.hash`,
    [creates.map((create) => create.url), creates.map((create) => urlHash(create.url))],
  );
  const found = new Map(rows.map((row) => [row.url, row]));
  const audit = { lost: 0, twice: 0, verdictsMissing: 0 };
  for (const { url, link, isFlagged } of creates) {
    const { ids, scanned, types } = found.get(url)!;
    if (link === undefined || !ids.includes(link.id)) audit.lost += 1;
    audit.twice += Math.max(0, ids.length - 1);
    if (!scanned || types !== (isFlagged ? 'MALWARE' : '')) audit.verdictsMissing += 1;
  }
  return audit;
}
