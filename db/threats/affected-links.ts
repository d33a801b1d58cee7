import type { ThreatType } from '#core/threats/types.ts';
import { sql } from 'kysely';
import { anyHash, anyId } from '#db/any-of.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { leadingTo } from './leading-to.ts';
import type { ScanTarget } from './verdicts.ts';

/**
 * Lists live links that lead to any of some URLs (hexadecimal hashes), each once, in the order of their ids, with those of the
 * hashes that it leads to.
 */
export function listAffectedLinks(
  { kysely }: EntityManager,
  urlHashes: readonly string[],
): Promise<{ id: string; urlHashes: string[] }[]> {
  return kysely
    .selectFrom('ThreatVerdict as v')
    .innerJoinLateral(
      ({ ref }) => leadingTo(kysely, ref('v.urlHash')).as('led'),
      (on) => on.onTrue(),
    )
    .select(({ ref }) => [
      ref('led.linkId').$notNull().as('id'),
      sql<string[]>`array_agg(distinct encode(${ref('v.urlHash')}, 'hex'))`.as('urlHashes'),
    ])
    .where('v.urlHash', '=', anyHash(urlHashes))
    .where('led.linkId', 'is not', null)
    .groupBy('led.linkId')
    .orderBy('led.linkId')
    .execute();
}

/** Lists live domains whose fallback is any of some URLs (hexadecimal hashes), in the order of their ids. */
export async function listAffectedDomains(em: EntityManager, urlHashes: readonly string[]): Promise<string[]> {
  const domains = await em.kysely
    .selectFrom('Domain')
    .select('id')
    .where(({ ref }) => sql<boolean>`hash_of_url(${ref('fallbackUrl')}) = ${anyHash(urlHashes)}`)
    .where('fallbackUrl', 'is not', null)
    .where('deletedAt', 'is', null)
    .where('organization', 'is not', null)
    .orderBy('id')
    .execute();
  return domains.map(({ id }) => id);
}

/**
 * Reads the fields of links that events show; deleted ones are left out. `verdicts` are those on its own destination, by URL hash
 * (hexadecimal); null where unknown.
 */
export function readAffectedLinks(em: EntityManager, ids: readonly string[]) {
  return em.kysely
    .selectFrom('ShortLink as l')
    .innerJoin('Domain as d', 'd.id', 'l.domain')
    .innerJoin('Destination as m', (on) => on.onRef('m.link', '=', 'l.id').on('m.rule', 'is', null))
    .select(['l.id', 'l.organization as organizationId', 'l.slug', 'l.domain as domainId', 'd.domain as domain'])
    .select(['m.type', 'm.value', 'l.updatedAt'])
    .select(
      sql<{ urlHash: string; threatTypes: ThreatType[] | null }[]>`(
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
 * Finds scan targets that lead to a known threat, and have not been reported since their link was changed. A link is reported by
 * `link.flagged`; a domain's fallback has no events, and always counts as not reported. `isShown`: the link was changed after
 * the answer, and its own events and answers had the threat already.
 */
export async function listUnreported({ kysely }: EntityManager, targets: readonly ScanTarget[]) {
  const threats = await kysely
    .selectFrom('ThreatVerdict')
    .select(({ ref }) => ['urlHash', ref('threatTypes').$notNull().as('threatTypes'), 'scannedAt'])
    .where('urlHash', '=', anyHash(targets.map(({ urlHash }) => urlHash)))
    .where('threatTypes', '<>', sql<ThreatType[]>`'{}'`)
    .execute();
  const byHash = new Map(threats.map((threat) => [threat.urlHash.toString('hex'), threat]));
  const links = await kysely
    .selectFrom('ShortLink as l')
    .select(({ exists, selectFrom }) => [
      'l.id',
      'l.updatedAt',
      exists(
        selectFrom('Event as e')
          .select('e.id')
          .whereRef('e.organizationId', '=', 'l.organization')
          .whereRef('e.createdAt', '>=', 'l.updatedAt')
          .whereRef('e.linkId', '=', 'l.id')
          .where('e.type', '=', 'link.flagged'),
      )
        .$castTo<boolean>()
        .as('isReported'),
    ])
    .where('l.id', '=', anyId(targets.flatMap(({ linkId, urlHash }) => (byHash.has(urlHash) ? (linkId ?? []) : []))))
    .execute();
  const byId = new Map(links.map((link) => [link.id, link]));
  return targets.flatMap((target) => {
    const threat = byHash.get(target.urlHash);
    const link = byId.get(target.linkId ?? '');
    if (threat === undefined || link?.isReported === true) return [];
    const isShown = link !== undefined && threat.scannedAt !== null && link.updatedAt > threat.scannedAt;
    return [{ ...target, threatTypes: threat.threatTypes, isShown }];
  });
}
