import type { DestinationType } from '../core/destination.ts';
import type { EventDraft } from '../core/events.ts';
import type { Sql } from './database.ts';

/** A row of `short_links` to insert, in its column names, with the rows that hang on it. */
export interface LinkInsert {
  link: {
    id: string;
    organization_id: string;
    domain_id: string;
    folder_id: string;
    qr_code_id: string | null;
    created_by: string | null;
    slug: string;
    external_id: string | null;
    title: string | null;
    is_active: boolean;
    expires_at: Date | null;
    expired_url: string | null;
    max_clicks: number | null;
    password_hash: string | null;
    cloaking: boolean;
    forward_query: boolean;
    utm_source: string | null;
    utm_medium: string | null;
    utm_campaign: string | null;
    utm_term: string | null;
    utm_content: string | null;
    search_text: string;
    created_at: Date;
  };
  destinations: DestinationInsert[];
  rules: RuleInsert[];
  qrCode: { id: string; organization_id: string; options: object; image_id: string | null } | null;
  metaTags: { title: string | null; description: string | null; image_id: string | null } | null;
  tagIds: string[];
  event: EventDraft;
}

/** A row of `destinations`; `rule_id` is null for the link's own, `url_hash` hex. */
export interface DestinationInsert {
  id: string;
  rule_id: string | null;
  type: DestinationType;
  value: string;
  url_hash: string | null;
  enable_deep_linking: boolean;
  ios_deep_link: string | null;
  android_deep_link: string | null;
}

/** A row of `rules`. */
export interface RuleInsert {
  id: string;
  priority: number;
  position: number;
  countries: string[] | null;
  languages: string[] | null;
  os_types: string[] | null;
}

// One statement and one round trip: whoever's slug or external id is taken is left out, with all that hangs on it. Foreign
// keys are checked at its end. Links go in sorted, so that two such statements cannot wait for each other in a circle.
const insertStatement = `
  with input as (
    select * from jsonb_to_recordset($1::jsonb) as x(
      id uuid, organization_id uuid, domain_id uuid, folder_id uuid, qr_code_id uuid, created_by uuid, slug text,
      external_id text, title text, is_active boolean, expires_at timestamptz, expired_url text, max_clicks bigint,
      password_hash text, cloaking boolean, forward_query boolean, utm_source text, utm_medium text, utm_campaign text,
      utm_term text, utm_content text, search_text text, created_at timestamptz)
  ), made as (
    insert into short_links (id, organization_id, domain_id, folder_id, qr_code_id, created_by, slug, external_id, title,
      is_active, expires_at, expired_url, max_clicks, password_hash, cloaking, forward_query, utm_source, utm_medium,
      utm_campaign, utm_term, utm_content, search_text, created_at, updated_at)
    select id, organization_id, domain_id, folder_id, qr_code_id, created_by, slug, external_id, title,
      is_active, expires_at, expired_url, max_clicks, password_hash, cloaking, forward_query, utm_source, utm_medium,
      utm_campaign, utm_term, utm_content, search_text, created_at, created_at
    from input order by domain_id, slug
    on conflict do nothing
    returning id, qr_code_id, max_clicks
  ), made_qr_codes as (
    insert into qr_codes (id, organization_id, options, image_id)
    select x.id, x.organization_id, x.options, x.image_id
    from jsonb_to_recordset($2::jsonb) as x(id uuid, organization_id uuid, options jsonb, image_id uuid)
    where x.id in (select qr_code_id from made)
  ), made_rules as (
    insert into rules (id, link_id, priority, position, countries, languages, os_types)
    select x.id, x.link_id, x.priority, x.position, x.countries, x.languages, x.os_types
    from jsonb_to_recordset($3::jsonb) as x(id uuid, link_id uuid, priority double precision, position int,
      countries text[], languages text[], os_types text[])
    where x.link_id in (select id from made)
  ), made_destinations as (
    insert into destinations (id, link_id, rule_id, type, value, url_hash, enable_deep_linking, ios_deep_link,
      android_deep_link)
    select x.id, x.link_id, x.rule_id, x.type, x.value, decode(x.url_hash, 'hex'), x.enable_deep_linking,
      x.ios_deep_link, x.android_deep_link
    from jsonb_to_recordset($4::jsonb) as x(id uuid, link_id uuid, rule_id uuid, type text, value text, url_hash text,
      enable_deep_linking boolean, ios_deep_link text, android_deep_link text)
    where x.link_id in (select id from made)
  ), made_meta_tags as (
    insert into meta_tags (link_id, title, description, image_id)
    select x.link_id, x.title, x.description, x.image_id
    from jsonb_to_recordset($5::jsonb) as x(link_id uuid, title text, description text, image_id uuid)
    where x.link_id in (select id from made)
  ), made_tags as (
    insert into link_tags (link_id, tag_id, position)
    select x.link_id, x.tag_id, x.position
    from jsonb_to_recordset($6::jsonb) as x(link_id uuid, tag_id uuid, position int)
    where x.link_id in (select id from made)
  ), made_caps as (
    insert into link_caps (link_id) select id from made where max_clicks is not null
  ), made_events as (
    insert into events (id, organization_id, type, link_id, body, created_at)
    select x.id, x.organization_id, x.type, x.link_id, x.body, x.created_at
    from jsonb_to_recordset($7::jsonb) as x(id uuid, organization_id uuid, type text, link_id uuid, body text,
      created_at timestamptz)
    where x.link_id in (select id from made)
  )
  select id from made`;

/** Inserts links with all that hangs on them. @returns ids of those whose slug and external id were free. */
export async function insertLinks(sql: Sql, inserts: readonly LinkInsert[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'insert-links',
    text: insertStatement,
    values: [
      JSON.stringify(inserts.map(({ link }) => link)),
      JSON.stringify(inserts.flatMap(({ qrCode }) => qrCode ?? [])),
      JSON.stringify(inserts.flatMap(({ link, rules }) => rules.map((rule) => ({ ...rule, link_id: link.id })))),
      JSON.stringify(
        inserts.flatMap(({ link, destinations }) => destinations.map((row) => ({ ...row, link_id: link.id }))),
      ),
      JSON.stringify(
        inserts.flatMap(({ link, metaTags }) => (metaTags === null ? [] : { ...metaTags, link_id: link.id })),
      ),
      JSON.stringify(
        inserts.flatMap(({ link, tagIds }) =>
          tagIds.map((tagId, position) => ({ link_id: link.id, tag_id: tagId, position })),
        ),
      ),
      JSON.stringify(inserts.map(({ event }) => toEventRow(event))),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

function toEventRow(event: EventDraft): object {
  return {
    id: event.id,
    organization_id: event.organizationId,
    type: event.type,
    link_id: event.linkId,
    body: event.body,
    created_at: event.createdAt,
  };
}
