import type { DestinationDraft } from '#core/links/destination.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import type { Sql } from '#db/connection/database.ts';
import type { DestinationInsert, LinkInsert, RuleInsert } from './insert.ts';

/** Columns of `short_links` that an update may set, by their names in the database. */
export type LinkColumns = Partial<Omit<LinkInsert['link'], 'id' | 'organization_id' | 'created_by' | 'created_at'>>;

/** Locks live links until the end of the transaction, in the order of their ids (docs/locks.md). */
export async function lockLinks(tx: Sql, ids: readonly string[]): Promise<void> {
  await tx.query('select 1 from short_links where id = any($1::uuid[]) and deleted_at is null order by id for update', [
    ids,
  ]);
}

/** SQL: sets `updated_at` to a moment later than the last one: a version is identified by it. */
export const updatedLater = (now: string): string =>
  `updated_at = greatest(${now}, updated_at + interval '1 millisecond')`;

/** Sets columns of a link and its `updated_at`. */
export async function setLinkColumns(tx: Sql, id: string, columns: LinkColumns, now: Date): Promise<void> {
  const names = Object.keys(columns);
  const assignments = names.map((name, index) => `${name} = $${index + 3}`);
  await tx.query(`update short_links set ${[updatedLater('$2'), ...assignments].join(', ')} where id = $1`, [
    id,
    now,
    ...Object.values(columns),
  ]);
}

/** Changes a destination; it keeps its id. */
export async function setDestination(
  tx: Sql,
  destinationId: string,
  { type, value, enableDeepLinking, iosDeepLink, androidDeepLink }: DestinationDraft,
  { urlHash, deepLinkHashes }: { urlHash: Buffer | null; deepLinkHashes: Buffer[] | null },
): Promise<void> {
  await tx.query(
    `update destinations set type = $2, value = $3, url_hash = $4, enable_deep_linking = $5, ios_deep_link = $6,
       android_deep_link = $7, deep_link_hashes = $8 where id = $1`,
    [destinationId, type, value, urlHash, enableDeepLinking, iosDeepLink, androidDeepLink, deepLinkHashes],
  );
}

/** Replaces all rules of a link. */
export async function replaceRules(
  tx: Sql,
  linkId: string,
  rules: readonly RuleInsert[],
  destinations: readonly DestinationInsert[],
): Promise<void> {
  // The foreign key removes their destinations.
  await tx.query('delete from rules where link_id = $1', [linkId]);
  if (rules.length === 0) return;
  await tx.query(
    `with made as (
       insert into rules (id, link_id, priority, position, countries, languages, os_types)
       select x.id, $1, x.priority, x.position, x.countries, x.languages, x.os_types
       from jsonb_to_recordset($2::jsonb) as x(id uuid, priority double precision, position int, countries text[],
         languages text[], os_types text[]))
     insert into destinations (id, link_id, rule_id, type, value, url_hash, enable_deep_linking, ios_deep_link,
       android_deep_link, deep_link_hashes)
     select x.id, $1, x.rule_id, x.type, x.value, decode(x.url_hash, 'hex'), x.enable_deep_linking, x.ios_deep_link,
       x.android_deep_link, (select array_agg(decode(hash, 'hex')) from unnest(x.deep_link_hashes) as hash)
     from jsonb_to_recordset($3::jsonb) as x(id uuid, rule_id uuid, type text, value text, url_hash text,
       enable_deep_linking boolean, ios_deep_link text, android_deep_link text, deep_link_hashes text[])`,
    [linkId, JSON.stringify(rules), JSON.stringify(destinations)],
  );
}

/** Replaces all tags of a link, in the order given. */
export async function replaceTags(tx: Sql, linkId: string, tagIds: readonly string[]): Promise<void> {
  await tx.query('delete from link_tags where link_id = $1', [linkId]);
  await tx.query(
    `insert into link_tags (link_id, tag_id, position)
     select $1, id, position - 1 from unnest($2::uuid[]) with ordinality as t(id, position)`,
    [linkId, tagIds],
  );
}

/** Replaces the preview of a link; null removes it. */
export async function replaceMetaTags(
  tx: Sql,
  linkId: string,
  metaTags: { title: string | null; description: string | null; imageId: string | null } | null,
): Promise<void> {
  if (metaTags === null) {
    await tx.query('delete from meta_tags where link_id = $1', [linkId]);
    return;
  }
  await tx.query(
    `insert into meta_tags (link_id, title, description, image_id) values ($1, $2, $3, $4)
     on conflict (link_id) do update set title = $2, description = $3, image_id = $4`,
    [linkId, metaTags.title, metaTags.description, metaTags.imageId],
  );
}

/** Inserts or replaces a QR code. */
export async function putQrCode(
  tx: Sql,
  {
    id,
    organizationId,
    options,
    imageId,
  }: { id: string; organizationId: string; options: QrOptions; imageId: string | null },
): Promise<void> {
  await tx.query(
    `insert into qr_codes (id, organization_id, options, image_id) values ($1, $2, $3, $4)
     on conflict (id) do update set options = $3, image_id = $4, updated_at = now()`,
    [id, organizationId, JSON.stringify(options), imageId],
  );
}

/** Removes a QR code that no link refers to. */
export async function deleteQrCode(tx: Sql, id: string): Promise<void> {
  await tx.query('delete from qr_codes where id = $1', [id]);
}

/** Deletes live links by tombstone: their names are free at once. @returns the links that were live. */
export async function tombstoneLinks(
  tx: Sql,
  ids: readonly string[],
  now: Date,
): Promise<{ id: string; organizationId: string; domainId: string; slug: string }[]> {
  const { rows } = await tx.query<{ id: string; organizationId: string; domainId: string; slug: string }>(
    `update short_links set deleted_at = $2 where id = any($1::uuid[]) and deleted_at is null
     returning id, organization_id as "organizationId", domain_id as "domainId", slug`,
    [ids, now],
  );
  return rows;
}
