import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { ShortAddress } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { slugKeyOf } from './slug-key.ts';
import type { DestinationView } from '#db/links/view.ts';

export interface ChainRow {
  host: string;
  /** Empty: the fallback. */
  slug: string;
  /** Destinations of the link; null for a fallback. */
  destinations: ChainDestination[] | null;
  expiredUrl: string | null;
  /** Where the domain sends visitors of its bare name and of unknown slugs. */
  fallbackUrl: string | null;
}

/** The part of a destination that says where visitors may be sent. */
type ChainDestination = Pick<DestinationView, 'type' | 'value' | 'iosDeepLink' | 'androidDeepLink'>;

/**
 * Reads the links at some addresses, and for an empty slug the fallback of its domain. Other addresses are left out.
 * @param organizationIds organizations whose domains count also while they are not verified: these may be verified again.
 */
// `isVerified` is compared as the index of names says it.
export function readChainRows(
  { kysely }: EntityManager,
  addresses: readonly ShortAddress[],
  organizationIds: readonly string[],
): Promise<ChainRow[]> {
  const asked = sql<{ host: string; path: string }>`unnest(${addresses.map(({ host }) => host)}::text[],
    ${addresses.map(({ slug }) => slug)}::text[])`.as<'a'>(sql`a(host, path)`);
  return kysely
    .selectFrom(asked)
    .innerJoin('Domain as d', 'd.domain', 'a.host')
    .leftJoin('ShortLink as l', (on) =>
      on
        .onRef('l.domain', '=', 'd.id')
        .on(sql<boolean>`${sql.raw(slugKeyOf('l.slug'))} = ${sql.raw(slugKeyOf('a.path'))}`)
        .on('l.deletedAt', 'is', null),
    )
    .select(['a.host', 'a.path as slug', 'l.expiredUrl', 'd.fallbackUrl'])
    .select(({ case: when, selectFrom }) =>
      when()
        .when('l.id', 'is not', null)
        .then(
          jsonArrayFrom(
            selectFrom('Destination as s')
              .select(['s.type', 's.value', 's.iosDeepLink as iosDeepLink', 's.androidDeepLink as androidDeepLink'])
              .whereRef('s.link', '=', 'l.id'),
          ),
        )
        .end()
        .as('destinations'),
    )
    .where(({ eb, or }) => or([eb('l.id', 'is not', null), eb('a.path', '=', '')]))
    .where(({ eb, or }) =>
      or([
        eb('d.isVerified', '=', sql.lit(true)),
        eb('d.organization', '=', sql<string>`any(${organizationIds}::uuid[])`),
      ]),
    )
    .where('d.deletedAt', 'is', null)
    .execute();
}
