import type { DestinationType } from '#core/links/destination.ts';
import { plainNames, type PlainValues } from '#core/links/fields.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { Sql } from '#db/connection/database.ts';
import type { RuleInsert } from './insert.ts';
import type { DomainRow } from './references.ts';

/** A destination with its threats; `threatTypes` is null until it has been scanned. */
export interface DestinationView {
  type: DestinationType;
  value: string;
  threatTypes: ThreatType[] | null;
  enableDeepLinking: boolean;
  iosDeepLink: string | null;
  androidDeepLink: string | null;
}

interface RuleView extends Omit<RuleInsert, 'position'> {
  destination: DestinationView;
}

/** The fields of a link that answers show, read by one statement. */
export interface LinkView extends PlainValues {
  id: string;
  organizationId: string;
  domain: Pick<DomainRow, 'id' | 'organizationId' | 'domain' | 'isPrimary' | 'isVerified' | 'createdAt'>;
  folderId: string;
  folder: { id: string; name: string; color: string };
  slug: string;
  destinationId: string;
  destination: DestinationView;
  rules: RuleView[];
  qrCodeId: string | null;
  qrCode: { options: QrOptions; imageId: string | null } | null;
  metaTags: { title: string | null; description: string | null; imageId: string | null; imageKey: string | null };
  tags: { id: string; name: string; color: string }[];
  currentClicks: number;
  lastClickedAt: Date | null;
  hasPassword: boolean;
  /** Why staff took it down, and when (ISO 8601); null: they did not. */
  takenDown: { at: string; reason: string } | null;
  /** Whether it is cloaked, and a destination of it refuses to be shown in a frame. */
  framesRefused: boolean;
  createdAt: Date;
  updatedAt: Date;
}

// Only web addresses are scanned; other destinations count as clean.
const destinationJson = (destination: string, verdict: string): string => `json_build_object(
  'type', ${destination}.type,
  'value', ${destination}.value,
  'threatTypes', case when ${destination}.deep_link_hashes is not null then (
      -- Over all web addresses that visitors may be sent to: any known threat counts, and the result is clean once all are.
      select case when count(found.type) > 0 then array_agg(distinct found.type) filter (where found.type is not null)
        when bool_and(dv.threat_types is not null) then '{}'::text[] end
      from unnest(array_remove(${destination}.url_hash || ${destination}.deep_link_hashes, null)) as led (hash)
      left join threat_verdicts dv on dv.url_hash = led.hash
      left join lateral unnest(dv.threat_types) as found (type) on true)
    when ${destination}.url_hash is null then '{}'::text[] else ${verdict}.threat_types end,
  'enableDeepLinking', ${destination}.enable_deep_linking,
  'iosDeepLink', ${destination}.ios_deep_link,
  'androidDeepLink', ${destination}.android_deep_link)`;

const noMetaTags: LinkView['metaTags'] = { title: null, description: null, imageId: null, imageKey: null };

// Optional parts are read by subqueries, not by joins: a plan that was made while their tables were small would scan them.
const selectLinks = `
  select
    l.id, l.organization_id as "organizationId", fo.id as "folderId", l.slug, l.password_hash is not null as "hasPassword",
    case when l.taken_down_at is not null
      then json_build_object('at', l.taken_down_at, 'reason', l.taken_down_reason) end as "takenDown",
    case when l.cloaking then exists (select from destinations fd where fd.link_id = l.id and fd.frames_refused_by = fd.url_hash)
      else false end as "framesRefused",
    ${plainNames.map((name) => `l.${snakeCase(name)} as "${name}"`).join(', ')},
    l.created_at as "createdAt", l.updated_at as "updatedAt", l.qr_code_id as "qrCodeId",
    json_build_object('id', d.id, 'organizationId', d.organization_id, 'domain', d.domain, 'isPrimary', d.is_primary,
      'isVerified', d.is_verified, 'createdAt', d.created_at) as domain,
    json_build_object('id', fo.id, 'name', fo.name, 'color', fo.color) as folder,
    s.id as "destinationId", ${destinationJson('s', 'v')} as destination,
    (select json_build_object('options', q.options, 'imageId', q.image_id)
      from qr_codes q where q.id = l.qr_code_id) as "qrCode",
    (select json_build_object('title', m.title, 'description', m.description, 'imageId', m.image_id,
        'imageKey', (select f.key from files f where f.id = m.image_id))
      from meta_tags m where m.link_id = l.id) as "metaTags",
    coalesce((select c.clicks from link_counters c where c.link_id = l.id), 0) as "currentClicks",
    (select c.last_clicked_at from link_counters c where c.link_id = l.id) as "lastClickedAt",
    (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'color', t.color) order by lt.position), '[]')
      from link_tags lt join tags t on t.id = lt.tag_id
      where lt.link_id = l.id and t.deleted_at is null) as tags,
    (select coalesce(json_agg(json_build_object('id', r.id, 'priority', r.priority, 'countries', r.countries,
        'languages', r.languages, 'osTypes', r.os_types, 'destination', ${destinationJson('rs', 'rv')})
        order by r.priority, r.position), '[]')
      from rules r join destinations rs on rs.rule_id = r.id left join threat_verdicts rv on rv.url_hash = rs.url_hash
      where r.link_id = l.id) as rules
  from short_links l
  join domains d on d.id = l.domain_id
  join folders lf on lf.id = l.folder_id
  -- Links of a deleted folder that are not moved yet are shown in the default one.
  join folders fo on fo.id = case when lf.deleted_at is null then lf.id else (
    select id from folders where organization_id = l.organization_id and is_default and deleted_at is null) end
  join destinations s on s.link_id = l.id and s.rule_id is null
  left join threat_verdicts v on v.url_hash = s.url_hash
  where l.deleted_at is null and `;

// By hand: every answer that shows a link, or a page of them, is read by it (bench rows C1 and L1).
/** Reads links of any organization, in the order of `ids`; deleted and unknown ones are left out. */
export async function readLinks(sql: Sql, ids: readonly string[]): Promise<LinkView[]> {
  // One link is read far more often than many, and PostgreSQL would plan a statement with an array anew each time.
  const { rows } = await sql.query<Omit<LinkView, 'metaTags'> & { metaTags: LinkView['metaTags'] | null }>(
    ids.length === 1
      ? { name: 'read-link', text: `${selectLinks} l.id = $1`, values: [ids[0]] }
      : { name: 'read-links', text: `${selectLinks} l.id = any($1::uuid[])`, values: [ids] },
  );
  const views = new Map(rows.map((row) => [row.id, { ...row, metaTags: row.metaTags ?? noMetaTags }]));
  return ids.flatMap((id) => views.get(id) ?? []);
}
