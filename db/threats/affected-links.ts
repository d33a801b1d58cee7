import type { DestinationType } from '#core/links/destination.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { Sql } from '#db/connection/database.ts';
import { leadingTo, type ScanTarget } from './verdicts.ts';

/** A link that leads to a URL whose verdict has changed. */
interface AffectedLink {
  id: string;
  organizationId: string;
  slug: string;
  domainId: string;
  domain: string;
  type: DestinationType;
  value: string;
  updatedAt: Date;
  /** Verdicts on its own destination, by URL hash (hexadecimal); null where unknown. */
  verdicts: { urlHash: string; threatTypes: ThreatType[] | null }[];
}

/**
 * Lists live links that lead to any of some URLs (hexadecimal hashes), each once, in the order of their ids, with those of the
 * hashes that it leads to.
 */
export async function listAffectedLinks(
  sql: Sql,
  urlHashes: readonly string[],
): Promise<{ id: string; urlHashes: string[] }[]> {
  const { rows } = await sql.query<{ id: string; urlHashes: string[] }>({
    name: 'threats_affected',
    text: `
      select led.link_id as id, array_agg(distinct changed.hash) as "urlHashes"
      from unnest($1::text[]) as changed (hash)
      cross join lateral (${leadingTo("decode(changed.hash, 'hex')")}) led
      where led.link_id is not null group by 1 order by 1`,
    values: [urlHashes],
  });
  return rows;
}

/** Lists live domains whose fallback is any of some URLs (hexadecimal hashes), in the order of their ids. */
export async function listAffectedDomains(sql: Sql, urlHashes: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'threats_affected_domains',
    text: `
      select distinct d.id
      from unnest($1::text[]) as changed (hash)
      cross join lateral (
        select id from domains
        where fallback_url is not null and deleted_at is null and organization_id is not null
          and hash_of_url(fallback_url) = decode(changed.hash, 'hex')) d
      order by 1`,
    values: [urlHashes],
  });
  return rows.map(({ id }) => id);
}

/** Reads the fields of links that events show; deleted ones are left out. */
export async function readAffectedLinks(sql: Sql, ids: readonly string[]): Promise<AffectedLink[]> {
  const { rows } = await sql.query<AffectedLink>({
    name: 'threats_links',
    text: `
      select l.id, l.organization_id as "organizationId", l.slug, l.domain_id as "domainId", d.domain, m.type, m.value, l.updated_at as "updatedAt",
        (select coalesce(json_agg(json_build_object('urlHash', encode(led.hash, 'hex'), 'threatTypes', v.threat_types)), '[]')
          from unnest(m.url_hash || coalesce(m.deep_link_hashes, '{}')) as led (hash)
          left join threat_verdicts v on v.url_hash = led.hash where led.hash is not null) as verdicts
      from short_links l
      join domains d on d.id = l.domain_id
      join destinations m on m.link_id = l.id and m.rule_id is null
      where l.id = any($1::uuid[]) and l.deleted_at is null order by l.id`,
    values: [ids],
  });
  return rows;
}

/**
 * Finds scan targets that lead to a known threat, and have not been reported since it was found. A link is reported by
 * `link.updated`; a domain's fallback has no events, and always counts as not reported.
 */
export async function listUnreported(
  sql: Sql,
  targets: readonly ScanTarget[],
): Promise<(ScanTarget & { threatTypes: ThreatType[] })[]> {
  const { rows } = await sql.query<{ index: number; threatTypes: ThreatType[] }>({
    name: 'threats_untold',
    text: `
      select t.index::int as index, v.threat_types as "threatTypes"
      from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality as t (link_id, organization_id, hash, index)
      join threat_verdicts v on v.url_hash = decode(t.hash, 'hex')
      where v.threat_types <> '{}' and (t.link_id is null or not exists (
        select from events e where e.organization_id = t.organization_id and e.created_at >= v.scanned_at
          and e.link_id = t.link_id and e.type = 'link.updated'))`,
    values: [
      targets.map(({ linkId }) => linkId),
      targets.map(({ organizationId }) => organizationId),
      targets.map(({ urlHash }) => urlHash),
    ],
  });
  return rows.map(({ index, threatTypes }) => ({ ...targets[index - 1]!, threatTypes }));
}
