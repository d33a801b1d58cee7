import type {
  CompiledDestination,
  CompiledDomain,
  CompiledLink,
  CompiledRule,
} from '#core/routing/compiled/compiled-link.ts';
import {
  compileDestination,
  compileMetaTags,
  compileThreatPolicy,
  compileUtm,
} from '#core/routing/compiled/compile.ts';
import { compileLanguages } from '#core/routing/languages.ts';
import { toLocation } from '#core/routing/location.ts';
import type { UtmValues } from '#core/routing/utm.ts';
import type { DestinationType } from '#core/links/destination.ts';
import type { OsType } from '#core/links/draft.ts';
import type { Sql } from '#db/connection/database.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { slugKeyOf } from '#db/links/slugs/slug-key.ts';

interface DestinationJson {
  type: DestinationType;
  value: string;
  deep: boolean;
  threats: ThreatType[] | null;
  unframed: boolean | null;
  ios: string | null;
  android: string | null;
}

interface RuleJson {
  countries: string[] | null;
  languages: string[] | null;
  osTypes: OsType[] | null;
  destination: DestinationJson;
}

interface LinkRow {
  id: string;
  slug_key: string;
  organization_id: string;
  domain_id: string;
  folder_id: string;
  is_active: boolean;
  is_taken_down: boolean;
  honours_gpc: boolean;
  threat_policy: ThreatPolicy;
  expires_at: Date | null;
  expired_url: string | null;
  max_clicks: number | null;
  password_hash: string | null;
  cloaking: boolean;
  forward_query: boolean;
  utm: (string | null)[];
  meta_title: string | null;
  meta_description: string | null;
  meta_image_key: string | null;
  meta_image_width: number | null;
  meta_image_height: number | null;
  destination: DestinationJson;
  rules: RuleJson[] | null;
  tag_ids: string[] | null;
}

// A verdict counts until it changes: an expired one is asked about again.
const threatsOf = (alias: string): string =>
  `case when o.threat_policy <> 'pass' then (select array_agg(distinct found.type) from threat_verdicts v, unnest(v.threat_types) as found (type) ` +
  `where v.url_hash = any(coalesce(${alias}.deep_link_hashes, '{}') || ${alias}.url_hash)) end`;

// An address for visitors who do not come to a destination: a flagged one counts as not set, unless the organization lets visitors pass.
const unflagged = (url: string): string =>
  `case when ${url} is null or o.threat_policy = 'pass' or not exists (select from threat_verdicts v ` +
  `where v.url_hash = hash_of_url(${url}) and v.threat_types <> '{}') then ${url} end`;

const destinationJson = (alias: string): string =>
  `json_build_object('type', ${alias}.type, 'value', ${alias}.value, 'deep', ${alias}.enable_deep_linking, ` +
  `'threats', ${threatsOf(alias)}, 'unframed', ${alias}.frames_refused_by = ${alias}.url_hash, ` +
  `'ios', ${alias}.ios_deep_link, 'android', ${alias}.android_deep_link)`;

// The array is in a subquery: a generic plan is then as good as a custom one, and is made once. Links of suspended and deleted
// organizations are left out, as if they did not exist (2.9).
const selectLinks = `
  select l.id, ${slugKeyOf('l.slug')} as slug_key, l.organization_id, l.domain_id, l.folder_id, l.is_active and not l.is_archived as is_active, l.taken_down_at is not null as is_taken_down, o.honours_gpc, o.threat_policy, l.expires_at,
    ${unflagged('l.expired_url')} as expired_url, l.max_clicks,
    l.password_hash, l.cloaking, l.forward_query,
    array[l.utm_source, l.utm_medium, l.utm_campaign, l.utm_term, l.utm_content] as utm,
    m.title as meta_title, m.description as meta_description, f.url_key as meta_image_key,
    f.width as meta_image_width, f.height as meta_image_height,
    ${destinationJson('d')} as destination,
    (select json_agg(json_build_object('countries', r.countries, 'languages', r.languages, 'osTypes', r.os_types,
        'destination', ${destinationJson('rd')}) order by r.priority, r.position)
      from rules r join destinations rd on rd.rule_id = r.id where r.link_id = l.id) as rules,
    (select array_agg(t.id::text order by lt.position) from link_tags lt join tags t on t.id = lt.tag_id
      where lt.link_id = l.id and t.deleted_at is null) as tag_ids
  from short_links l
  join organizations o on o.id = l.organization_id
  join destinations d on d.link_id = l.id and d.rule_id is null
  left join meta_tags m on m.link_id = l.id
  left join files f on f.id = m.image_id and f.deleted_at is null and f.taken_down_at is null
  where l.domain_id = $1 and ${slugKeyOf('l.slug')} = any((select $2::text[])::text[]) and l.deleted_at is null
    and o.suspended_at is null and o.deleted_at is null`;

const selectTakenDownNames = `
  select t.slug_key from taken_down_names t join domains d on d.domain = t.domain
  where d.id = $1 and t.slug_key = any($2::text[])`;

const selectDomains = `
  select d.id, d.organization_id as "organizationId", d.domain, ${unflagged('d.fallback_url')} as "fallbackUrl",
    d.apple_app_site_association #>> '{}' as "appleAppSiteAssociation", d.android_asset_links #>> '{}' as "androidAssetLinks"
  from domains d
  left join organizations o on o.id = d.organization_id
  where d.domain = any($1::text[]) and d.is_active and d.deleted_at is null
    and (d.organization_id is null or (d.is_verified and o.suspended_at is null and o.deleted_at is null))
  -- Where both have a name, the platform's domain wins.
  order by d.organization_id is null`;

// By hand, every statement of this file: the edge, which loads no ORM, looks links up (bench rows R1 and R7).

/**
 * Reads links by the keys of their slugs (`slugKey`), compiled for redirects. A name that staff took down and no link has is a link
 * that is taken down. Unknown slugs, deleted links and links of suspended organizations are left out of the map.
 */
export async function readCompiledLinks(
  sql: Sql,
  domainId: string,
  slugs: readonly string[],
): Promise<Map<string, CompiledLink>> {
  const { rows } = await sql.query<LinkRow>({ name: 'compiled-links', text: selectLinks, values: [domainId, slugs] });
  const links = new Map(rows.map((row) => [row.slug_key, compileLink(row)]));
  const missing = slugs.filter((slug) => !links.has(slug));
  if (missing.length > 0) {
    const query = { name: 'taken-down-names', text: selectTakenDownNames, values: [domainId, missing] };
    for (const { slug_key: slug } of (await sql.query<Pick<LinkRow, 'slug_key'>>(query)).rows)
      links.set(slug, takenDownLink);
  }
  return links;
}

/** Reads the domains that are served under these hosts: active, and either verified or the platform's (4.1). */
export async function readCompiledDomains(sql: Sql, hosts: readonly string[]): Promise<Map<string, CompiledDomain>> {
  const { rows } = await sql.query<Omit<CompiledDomain, 'fallbackLocation'> & { fallbackUrl: string | null }>({
    name: 'compiled-domains',
    text: selectDomains,
    values: [hosts],
  });
  return new Map(
    rows.map(({ fallbackUrl, ...row }) => [
      row.domain,
      { ...row, fallbackLocation: fallbackUrl === null ? null : toLocation(fallbackUrl) },
    ]),
  );
}

// Many links share these texts; each would hold a copy of its own in memory.
const shared = new Map<string, string>();
const maxShared = 20_000;
const none: readonly never[] = [];

function intern(text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size >= maxShared) shared.clear();
  shared.set(text, text);
  return text;
}

/** In place of a link that had a taken-down name. */
const takenDownLink: CompiledLink = compileLink({
  id: '',
  slug_key: '',
  organization_id: '',
  domain_id: '',
  folder_id: '',
  is_active: false,
  is_taken_down: true,
  honours_gpc: false,
  threat_policy: 'pass',
  expires_at: null,
  expired_url: null,
  max_clicks: null,
  password_hash: null,
  cloaking: false,
  forward_query: false,
  utm: [],
  meta_title: null,
  meta_description: null,
  meta_image_key: null,
  meta_image_width: null,
  meta_image_height: null,
  destination: { type: 'link', value: '', deep: false, threats: null, unframed: null, ios: null, android: null },
  rules: null,
  tag_ids: null,
});

function compileLink(row: LinkRow): CompiledLink {
  const { destination } = row;
  const utm = compileUtm(row.utm);
  const rules: readonly CompiledRule[] = row.rules?.map((rule) => compileRule(rule, utm)) ?? none;
  const isFlagged = [destination, ...(row.rules ?? []).map((rule) => rule.destination)].some(
    ({ threats }) => threats !== null,
  );
  return {
    id: row.id,
    organizationId: intern(row.organization_id),
    domainId: intern(row.domain_id),
    folderId: intern(row.folder_id),
    tagIds: row.tag_ids?.map(intern) ?? none,
    isActive: row.is_active,
    isTakenDown: row.is_taken_down,
    honoursGpc: row.honours_gpc,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    expiredLocation: row.expired_url === null ? null : toLocation(row.expired_url),
    maxClicks: row.max_clicks,
    passwordHash: row.password_hash,
    threatPolicy: compileThreatPolicy(row.threat_policy, isFlagged),
    cloaking: row.cloaking,
    forwardQuery: row.forward_query,
    utm,
    metaTags: compileMetaTags({
      title: row.meta_title,
      description: row.meta_description,
      imageKey: row.meta_image_key,
      imageSize:
        row.meta_image_width === null || row.meta_image_height === null
          ? null
          : { width: row.meta_image_width, height: row.meta_image_height },
    }),
    destination: compileStored(destination, utm),
    rules,
  };
}

function compileRule(rule: RuleJson, utm: UtmValues): CompiledRule {
  const { countries, languages, osTypes, destination } = rule;
  return {
    countries,
    languages: compileLanguages(languages),
    osTypes,
    destination: compileStored(destination, utm),
  };
}

function compileStored(json: DestinationJson, utm: UtmValues): CompiledDestination {
  const { type, value, deep, ios, android, threats, unframed } = json;
  return compileDestination({ type, value, enableDeepLinking: deep, iosDeepLink: ios, androidDeepLink: android }, utm, {
    threatTypes: threats ?? none,
    refusesFrames: unframed === true,
  });
}
