import type { DestinationType } from '#core/links/destination.ts';
import { plainNames, plainTypes, type PlainValues } from '#core/links/fields.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import type { EventDraft } from '#core/webhooks/events.ts';
import type { OsType } from '#core/links/draft.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import type { Sql } from '#db/connection/database.ts';
import { isTakenDownName } from './slugs/taken-down-names.ts';

/** A link to insert, with its child rows: one element of the JSON array that `insertLinks` sends. */
export interface LinkInsert extends PlainValues {
  id: string;
  organizationId: string;
  domainId: string;
  folderId: string;
  qrCodeId: string | null;
  createdBy: string | null;
  slug: string;
  passwordHash: string | null;
  searchText: string;
  createdAt: Date;
  /** `expiresAt` of a link that is made after its end, as imports do: `link.expired` does not tell of it. */
  reportedExpiry: Date | null;
  destinations: DestinationInsert[];
  rules: RuleInsert[];
  qrCode: { options: QrOptions; imageId: string | null } | null;
  metaTags: { title: string | null; description: string | null; imageId: string | null } | null;
  tagIds: string[];
  event: Pick<EventDraft, 'id' | 'body' | 'createdAt'>;
  /** Null: a bulk call or an import has one activity for all its links. */
  activity: { keyId: string | null; client: string | null } | null;
}

/** A row of `destinations`; `ruleId` is null for the link's own, hashes are hex. */
export interface DestinationInsert {
  id: string;
  ruleId: string | null;
  type: DestinationType;
  value: string;
  urlHash: string | null;
  enableDeepLinking: boolean;
  iosDeepLink: string | null;
  androidDeepLink: string | null;
  /** Keys of the verdicts of its deep links' web addresses, without that of `value`; null: there are none. */
  deepLinkHashes: string[] | null;
}

export interface RuleInsert {
  id: string;
  priority: number;
  position: number;
  countries: string[] | null;
  languages: string[] | null;
  osTypes: OsType[] | null;
}

const plainColumns = plainNames.map(snakeCase).join(', ');
const plainGiven = plainNames.map((name) => `x."${name}"`).join(', ');
const plainGivenTypes = plainNames.map((name) => `"${name}" ${plainTypes[name]}`).join(', ');

const insertStatement = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as x (
      id uuid, "organizationId" uuid, "domainId" uuid, "folderId" uuid, "qrCodeId" uuid, "createdBy" uuid, slug text,
      "passwordHash" text, "searchText" text, "createdAt" timestamptz, "reportedExpiry" timestamptz, ${plainGivenTypes},
      destinations jsonb, rules jsonb, "qrCode" jsonb, "metaTags" jsonb, "tagIds" uuid[], event jsonb, activity jsonb)
  ), made as (
    insert into short_links (id, organization_id, domain_id, folder_id, qr_code_id, created_by, slug, password_hash,
      search_text, created_at, updated_at, reported_expiry, ${plainColumns})
    select x.id, x."organizationId", x."domainId", x."folderId", x."qrCodeId", x."createdBy", x.slug, x."passwordHash",
      x."searchText", x."createdAt", x."createdAt", x."reportedExpiry", ${plainGiven}
    from given x
    where not ${isTakenDownName('x."domainId"', 'x.slug')}
    -- Sorted: two such statements cannot deadlock.
    order by x."externalId", x."domainId", x.slug
    on conflict do nothing
    returning id
  ), x as (
    select given.* from given join made using (id)
  ), made_qr_codes as (
    insert into qr_codes (id, organization_id, options, image_id)
    select x."qrCodeId", x."organizationId", x."qrCode" -> 'options', (x."qrCode" ->> 'imageId')::uuid
    from x where x."qrCodeId" is not null
  ), made_rules as (
    insert into rules (id, link_id, priority, position, countries, languages, os_types)
    select r.id, x.id, r.priority, r.position, r.countries, r.languages, r."osTypes"
    from x cross join lateral jsonb_to_recordset(x.rules) as r (
      id uuid, priority double precision, position int, countries text[], languages text[], "osTypes" text[])
  ), made_destinations as (
    insert into destinations (id, link_id, rule_id, type, value, url_hash, enable_deep_linking, ios_deep_link,
      android_deep_link, deep_link_hashes)
    select d.id, x.id, d."ruleId", d.type, d.value, decode(d."urlHash", 'hex'), d."enableDeepLinking", d."iosDeepLink",
      d."androidDeepLink", (select array_agg(decode(hash, 'hex')) from unnest(d."deepLinkHashes") as hash)
    from x cross join lateral jsonb_to_recordset(x.destinations) as d (
      id uuid, "ruleId" uuid, type text, value text, "urlHash" text, "enableDeepLinking" boolean, "iosDeepLink" text,
      "androidDeepLink" text, "deepLinkHashes" text[])
  ), made_meta_tags as (
    insert into meta_tags (link_id, title, description, image_id)
    select x.id, x."metaTags" ->> 'title', x."metaTags" ->> 'description', (x."metaTags" ->> 'imageId')::uuid
    from x where x."metaTags" is not null
  ), made_tags as (
    insert into link_tags (link_id, tag_id, position)
    select x.id, t.id, t.position - 1 from x cross join lateral unnest(x."tagIds") with ordinality as t (id, position)
  ), made_caps as (
    insert into link_caps (link_id) select x.id from x where x."maxClicks" is not null
  ), made_events as (
    insert into events (id, organization_id, type, link_id, body, created_at)
    select (x.event ->> 'id')::uuid, x."organizationId", 'link.created', x.id, x.event ->> 'body',
      (x.event ->> 'createdAt')::timestamptz
    from x
  ), made_activities as (
    -- The link's id is the activity's too: one index of activities finds it by itself and by its subject.
    insert into activities (id, organization_id, at, action, subject_id, name, caller, user_id, key_id, client, count)
    select x.id, x."organizationId", x."createdAt", 'shortLink.created', x.id, x.slug,
      case when x.activity ->> 'keyId' is null then 'member' else 'key' end, x."createdBy",
      (x.activity ->> 'keyId')::uuid, x.activity ->> 'client', 1
    from x where x.activity is not null
  )
  select array_agg(id) as ids from made`;

// By hand: one statement inserts links with all of their child rows (bench row C1).
/**
 * Inserts links with their child rows. A link whose slug or external id is taken, or whose name staff took down, is left out with its
 * child rows.
 * @returns ids of the inserted links.
 */
export async function insertLinks(sql: Sql, links: readonly LinkInsert[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ ids: string[] | null }>({
    name: 'insert-links',
    text: insertStatement,
    values: [JSON.stringify(links)],
  });
  return new Set(rows[0]!.ids);
}
