import type { DestinationType } from '#core/links/destination.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { sql } from 'kysely';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
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
// By hand: `leadingTo` finds what leads to each address by its index, for thousands of links; no benchmark runs it.
export async function listAffectedLinks(
  db: Sql,
  urlHashes: readonly string[],
): Promise<{ id: string; urlHashes: string[] }[]> {
  const { rows } = await db.query<{ id: string; urlHashes: string[] }>({
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
export async function listAffectedDomains(em: EntityManager, urlHashes: readonly string[]): Promise<string[]> {
  const hashes = urlHashes.map((hash) => Buffer.from(hash, 'hex'));
  const domains = await em.kysely
    .selectFrom('Domain')
    .select('id')
    .where(({ ref }) => sql<boolean>`hash_of_url(${ref('fallbackUrl')}) = any(${hashes}::bytea[])`)
    .where('fallbackUrl', 'is not', null)
    .where('deletedAt', 'is', null)
    .where('organization', 'is not', null)
    .orderBy('id')
    .execute();
  return domains.map(({ id }) => id);
}

/** Reads the fields of links that events show; deleted ones are left out. */
export function readAffectedLinks(em: EntityManager, ids: readonly string[]): Promise<AffectedLink[]> {
  return em.kysely
    .selectFrom('ShortLink as l')
    .innerJoin('Domain as d', 'd.id', 'l.domain')
    .innerJoin('Destination as m', (on) => on.onRef('m.link', '=', 'l.id').on('m.rule', 'is', null))
    .select(['l.id', 'l.organization as organizationId', 'l.slug', 'l.domain as domainId', 'd.domain as domain'])
    .select(['m.type', 'm.value', 'l.updatedAt'])
    .select(
      sql<AffectedLink['verdicts']>`(
        select coalesce(json_agg(json_build_object('urlHash', encode(led.hash, 'hex'), 'threatTypes', v.threat_types)), '[]')
        from unnest(m.url_hash || coalesce(m.deep_link_hashes, '{}')) as led (hash)
        left join threat_verdicts v on v.url_hash = led.hash where led.hash is not null)`.as('verdicts'),
    )
    .where('l.id', 'in', ids)
    .where('l.deletedAt', 'is', null)
    .orderBy('l.id')
    .execute();
}

/**
 * Finds scan targets that lead to a known threat, and have not been reported since it was found. A link is reported by
 * `link.updated`; a domain's fallback has no events, and always counts as not reported.
 */
// By hand: the targets of a scan are compared in one statement, each with its own link and hash; no benchmark runs it.
export async function listUnreported(
  db: Sql,
  targets: readonly ScanTarget[],
): Promise<(ScanTarget & { threatTypes: ThreatType[] })[]> {
  const { rows } = await db.query<{ index: number; threatTypes: ThreatType[] }>({
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
