import type { DestinationType } from '#core/links/destination.ts';
import type { EventDraft } from '#core/webhooks/events.ts';
import { insertEventsSql } from '#db/webhooks/events.ts';
import type { OsType } from '#core/links/draft.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import type { Sql } from '#db/connection/database.ts';

/** A row of `short_links` to insert, in its column names, with its child rows. */
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
  qrCode: { id: string; organization_id: string; options: QrOptions; image_id: string | null } | null;
  metaTags: { title: string | null; description: string | null; image_id: string | null } | null;
  tagIds: string[];
  event: EventDraft;
}

/** A row of `destinations`; `rule_id` is null for the link's own, hashes are hex. */
export interface DestinationInsert {
  id: string;
  rule_id: string | null;
  type: DestinationType;
  value: string;
  url_hash: string | null;
  enable_deep_linking: boolean;
  ios_deep_link: string | null;
  android_deep_link: string | null;
  /** Keys of the verdicts of its deep links' web addresses, without that of `value`; null: there are none. */
  deep_link_hashes: string[] | null;
}

/** A row of `rules`. */
export interface RuleInsert {
  id: string;
  priority: number;
  position: number;
  countries: string[] | null;
  languages: string[] | null;
  os_types: OsType[] | null;
}

/** Child rows of links: each part inserts the rows of a JSON array that belong to links which were inserted. */
interface Part {
  name: string;
  /** `$rows` stands for the parameter. */
  statement: string;
  rows(inserts: readonly LinkInsert[]): readonly object[];
}

const madeOnly = 'where x.link_id in (select id from made)';

const linkPart: Part = {
  name: 'made',
  statement: `
    insert into short_links (id, organization_id, domain_id, folder_id, qr_code_id, created_by, slug, external_id, title,
      is_active, expires_at, expired_url, max_clicks, password_hash, cloaking, forward_query, utm_source, utm_medium,
      utm_campaign, utm_term, utm_content, search_text, created_at, updated_at)
    select id, organization_id, domain_id, folder_id, qr_code_id, created_by, slug, external_id, title,
      is_active, expires_at, expired_url, max_clicks, password_hash, cloaking, forward_query, utm_source, utm_medium,
      utm_campaign, utm_term, utm_content, search_text, created_at, created_at
    from jsonb_to_recordset($rows::jsonb) as x(
      id uuid, organization_id uuid, domain_id uuid, folder_id uuid, qr_code_id uuid, created_by uuid, slug text,
      external_id text, title text, is_active boolean, expires_at timestamptz, expired_url text, max_clicks bigint,
      password_hash text, cloaking boolean, forward_query boolean, utm_source text, utm_medium text, utm_campaign text,
      utm_term text, utm_content text, search_text text, created_at timestamptz)
    order by external_id, domain_id, slug
    on conflict do nothing
    returning id, qr_code_id, max_clicks`,
  rows: (inserts) => inserts.map(({ link }) => link),
};

const otherParts: readonly Part[] = [
  {
    name: 'made_qr_codes',
    statement: `
      insert into qr_codes (id, organization_id, options, image_id)
      select x.id, x.organization_id, x.options, x.image_id
      from jsonb_to_recordset($rows::jsonb) as x(id uuid, organization_id uuid, options jsonb, image_id uuid)
      where x.id in (select qr_code_id from made)`,
    rows: (inserts) => inserts.flatMap(({ qrCode }) => qrCode ?? []),
  },
  {
    name: 'made_rules',
    statement: `
      insert into rules (id, link_id, priority, position, countries, languages, os_types)
      select x.id, x.link_id, x.priority, x.position, x.countries, x.languages, x.os_types
      from jsonb_to_recordset($rows::jsonb) as x(id uuid, link_id uuid, priority double precision, position int,
        countries text[], languages text[], os_types text[]) ${madeOnly}`,
    rows: (inserts) => inserts.flatMap(({ link, rules }) => rules.map((rule) => ({ ...rule, link_id: link.id }))),
  },
  {
    name: 'made_destinations',
    statement: `
      insert into destinations (id, link_id, rule_id, type, value, url_hash, enable_deep_linking, ios_deep_link,
        android_deep_link, deep_link_hashes)
      select x.id, x.link_id, x.rule_id, x.type, x.value, decode(x.url_hash, 'hex'), x.enable_deep_linking,
        x.ios_deep_link, x.android_deep_link,
        (select array_agg(decode(hash, 'hex')) from unnest(x.deep_link_hashes) as hash)
      from jsonb_to_recordset($rows::jsonb) as x(id uuid, link_id uuid, rule_id uuid, type text, value text,
        url_hash text, enable_deep_linking boolean, ios_deep_link text, android_deep_link text,
        deep_link_hashes text[]) ${madeOnly}`,
    rows: (inserts) =>
      inserts.flatMap(({ link, destinations }) => destinations.map((row) => ({ ...row, link_id: link.id }))),
  },
  {
    name: 'made_meta_tags',
    statement: `
      insert into meta_tags (link_id, title, description, image_id)
      select x.link_id, x.title, x.description, x.image_id
      from jsonb_to_recordset($rows::jsonb) as x(link_id uuid, title text, description text, image_id uuid) ${madeOnly}`,
    rows: (inserts) =>
      inserts.flatMap(({ link, metaTags }) => (metaTags === null ? [] : { ...metaTags, link_id: link.id })),
  },
  {
    name: 'made_tags',
    statement: `
      insert into link_tags (link_id, tag_id, position)
      select x.link_id, x.tag_id, x.position
      from jsonb_to_recordset($rows::jsonb) as x(link_id uuid, tag_id uuid, position int) ${madeOnly}`,
    rows: (inserts) =>
      inserts.flatMap(({ link, tagIds }) =>
        tagIds.map((tagId, position) => ({ link_id: link.id, tag_id: tagId, position })),
      ),
  },
  {
    name: 'made_caps',
    statement: `
      insert into link_caps (link_id)
      select x.link_id from jsonb_to_recordset($rows::jsonb) as x(link_id uuid) ${madeOnly}`,
    rows: (inserts) => inserts.flatMap(({ link }) => (link.max_clicks === null ? [] : { link_id: link.id })),
  },
  {
    name: 'made_events',
    statement: `${insertEventsSql('$rows')} where x."linkId" in (select id from made)`,
    rows: (inserts) => inserts.map(({ event }) => event),
  },
];

/**
 * Inserts links with their child rows, in one statement (bench row C1). A link whose slug or external id is taken is left out
 * with its child rows. Foreign keys are checked at the end of the statement. Links are inserted in sorted order: two such
 * statements cannot deadlock.
 * @returns ids of the inserted links.
 */
export async function insertLinks(sql: Sql, inserts: readonly LinkInsert[]): Promise<Set<string>> {
  // Most links have one destination and nothing else: the statement leaves out unused parts.
  const used = otherParts.map((part) => ({ part, rows: part.rows(inserts) })).filter(({ rows }) => rows.length > 0);
  const all = [{ part: linkPart, rows: linkPart.rows(inserts) }, ...used];
  const clauses = all.map(({ part }, index) => `${part.name} as (${part.statement.replace('$rows', `$${index + 1}`)})`);
  const { rows } = await sql.query<{ id: string }>({
    // PostgreSQL cuts names at 63 bytes: parts go in by number.
    name: `insert-links ${used.map(({ part }) => otherParts.indexOf(part)).join('')}`,
    text: `with ${clauses.join(', ')} select id from made`,
    values: all.map((part) => JSON.stringify(part.rows)),
  });
  return new Set(rows.map(({ id }) => id));
}
