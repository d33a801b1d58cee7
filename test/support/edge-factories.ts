import { v7 as uuidv7 } from 'uuid';
import type { DestinationType } from '#core/links/destination.ts';
import type { OsType } from '#core/links/draft.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { Sql } from '#db/connection/database.ts';
import { hashOfUrl } from '#core/threats/url-hash.ts';
import { channels, type LinkChange, notify } from '#db/notifications/notify.ts';

/** Where a link of the tests leads. */
export interface TestDestination {
  type?: DestinationType;
  value: string;
  /** Turns deep linking on. */
  iosDeepLink?: string;
  androidDeepLink?: string;
  /** The stored verdict on it. */
  threatTypes?: readonly ThreatType[];
}

/** Fields of a test link; unset fields have the database's defaults. */
export interface TestLink {
  organizationId: string;
  domainId: string;
  folderId: string;
  slug?: string;
  destination?: TestDestination;
  isActive?: boolean;
  expiresAt?: Date;
  expiredUrl?: string;
  maxClicks?: number;
  passwordHash?: string;
  cloaking?: boolean;
  forwardQuery?: boolean;
  title?: string;
  metaTags?: { title?: string; description?: string; imageId?: string };
  utm?: { source?: string; medium?: string; campaign?: string; term?: string; content?: string };
  tagIds?: string[];
  rules?: {
    priority?: number;
    countries?: string[];
    languages?: string[];
    osTypes?: OsType[];
    destination: TestDestination;
  }[];
}

let counter = 0;

/** Makes a link as the edge reads it, by plain SQL. @returns its id and slug. */
export async function createLink(db: Sql, link: TestLink): Promise<{ id: string; slug: string }> {
  const id = uuidv7();
  const slug = link.slug ?? `link-${(counter += 1)}`;
  const utm = link.utm ?? {};
  await db.query(
    `insert into short_links (id, organization_id, domain_id, folder_id, slug, is_active, expires_at, expired_url,
       max_clicks, password_hash, cloaking, forward_query, title, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      id,
      link.organizationId,
      link.domainId,
      link.folderId,
      slug,
      link.isActive ?? true,
      link.expiresAt ?? null,
      link.expiredUrl ?? null,
      link.maxClicks ?? null,
      link.passwordHash ?? null,
      link.cloaking ?? false,
      link.forwardQuery ?? false,
      link.title ?? null,
      utm.source ?? null,
      utm.medium ?? null,
      utm.campaign ?? null,
      utm.term ?? null,
      utm.content ?? null,
    ],
  );
  await createDestination(db, id, null, link.destination ?? { value: `https://example.com/${slug}` });
  if (link.metaTags !== undefined) {
    const { title = null, description = null, imageId = null } = link.metaTags;
    await db.query('insert into meta_tags (link_id, title, description, image_id) values ($1, $2, $3, $4)', [
      id,
      title,
      description,
      imageId,
    ]);
  }
  for (const [position, rule] of (link.rules ?? []).entries()) {
    const ruleId = uuidv7();
    await db.query(
      `insert into rules (id, link_id, priority, position, countries, languages, os_types)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [ruleId, id, rule.priority ?? 0, position, rule.countries ?? null, rule.languages ?? null, rule.osTypes ?? null],
    );
    await createDestination(db, id, ruleId, rule.destination);
  }
  for (const [position, tagId] of (link.tagIds ?? []).entries()) {
    await db.query('insert into link_tags (link_id, tag_id, position) values ($1, $2, $3)', [id, tagId, position]);
  }
  return { id, slug };
}

/** Makes many links at once, `many-1` and so on, to example.com; each second of 2026 has `atOnce` of them. */
export async function createManyLinks(
  db: Sql,
  { organizationId, domainId, folderId }: Pick<TestLink, 'organizationId' | 'domainId' | 'folderId'>,
  count: number,
  { atOnce = 1 }: { atOnce?: number } = {},
): Promise<void> {
  await db.query(
    `with made as (
       insert into short_links (id, organization_id, domain_id, folder_id, slug, search_text, created_at)
       select new_id(), $1, $2, $3, 'many-' || n, 'many-' || n || ' number' || n,
         '2026-01-01'::timestamptz + (n / $5::int) * interval '1 second'
       from generate_series(1, $4::int) n returning id
     )
     insert into destinations (id, link_id, type, value) select new_id(), id, 'link', 'https://example.com/' from made`,
    [organizationId, domainId, folderId, count, atOnce],
  );
}

/** Makes a tag. @returns its id. */
export async function createTag(db: Sql, organizationId: string): Promise<string> {
  const id = uuidv7();
  await db.query(`insert into tags (id, organization_id, name, name_key, color) values ($1, $2, $3, $3, '#112233')`, [
    id,
    organizationId,
    `tag ${id}`,
  ]);
  return id;
}

/** Changes a link's destination and notifies the edge, as the API does. */
export async function redirectLink(db: Sql, linkId: string, value: string): Promise<void> {
  await db.query('update destinations set value = $2 where link_id = $1 and rule_id is null', [linkId, value]);
  const { rows } = await db.query<{ domain_id: string; slug: string }>(
    'select domain_id, slug from short_links where id = $1',
    [linkId],
  );
  await tellChange(db, { domainId: rows[0]!.domain_id, slugs: [rows[0]!.slug] });
}

/** Marks a link as deleted and notifies the edge. */
export async function deleteLink(db: Sql, linkId: string): Promise<void> {
  const { rows } = await db.query<{ domain_id: string; slug: string }>(
    'update short_links set deleted_at = now() where id = $1 returning domain_id, slug',
    [linkId],
  );
  await tellChange(db, { domainId: rows[0]!.domain_id, slugs: [rows[0]!.slug] });
}

/** Notifies every edge process of the links and domains to read again. */
export async function tellChange(db: Sql, change: LinkChange): Promise<void> {
  await notify(db, channels.links, JSON.stringify(change));
}

async function createDestination(
  db: Sql,
  linkId: string,
  ruleId: string | null,
  { type = 'link', value, iosDeepLink, androidDeepLink, threatTypes }: TestDestination,
): Promise<void> {
  const hash = hashOfUrl(value);
  if (threatTypes !== undefined) {
    await db.query(
      `insert into threat_verdicts (url_hash, url, threat_types, scanned_at, expires_at)
       values ($1, $2, $3, now(), now() + interval '1 day')`,
      [hash, value, threatTypes],
    );
  }
  await db.query(
    `insert into destinations (id, link_id, rule_id, type, value, enable_deep_linking, ios_deep_link, android_deep_link, url_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      uuidv7(),
      linkId,
      ruleId,
      type,
      value,
      (iosDeepLink ?? androidDeepLink) !== undefined,
      iosDeepLink ?? null,
      androidDeepLink ?? null,
      threatTypes === undefined ? null : hash,
    ],
  );
}
