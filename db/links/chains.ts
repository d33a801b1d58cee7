import type { ShortAddress } from '#core/links/site.ts';
import type { Sql } from '#db/connection/database.ts';
import { slugKeyOf } from './slug-key.ts';
import type { DestinationView } from './view.ts';

/** A short URL on one of our hosts. */
export interface ChainRow {
  host: string;
  slug: string;
  /** Destinations of the link there; null: there is no link. */
  destinations: ChainDestination[] | null;
  expiredUrl: string | null;
  /** Where the domain sends visitors of unknown slugs. */
  fallbackUrl: string | null;
}

/** The part of a destination that says where visitors may be sent. */
type ChainDestination = Pick<DestinationView, 'type' | 'value' | 'iosDeepLink' | 'androidDeepLink'>;

// By hand: creates of links to hosts of ours run it, many addresses in one statement; no benchmark runs it.
/** Reads short URLs; those of other hosts are left out. */
export async function readChainRows(sql: Sql, addresses: readonly ShortAddress[]): Promise<ChainRow[]> {
  const { rows } = await sql.query<ChainRow>({
    name: 'read-chain-rows',
    text: `
      select a.host, a.slug, l.expired_url as "expiredUrl", d.fallback_url as "fallbackUrl",
        case when l.id is not null then (
          select json_agg(json_build_object('type', s.type, 'value', s.value, 'iosDeepLink', s.ios_deep_link,
            'androidDeepLink', s.android_deep_link)) from destinations s where s.link_id = l.id) end as destinations
      from unnest($1::text[], $2::text[]) as a (host, slug)
      join domains d on d.domain = a.host and d.is_verified and d.deleted_at is null
      left join short_links l on l.domain_id = d.id and ${slugKeyOf('l.slug')} = ${slugKeyOf('a.slug')} and l.deleted_at is null`,
    values: [addresses.map(({ host }) => host), addresses.map(({ slug }) => slug)],
  });
  return rows;
}
