import type { Sql } from '#db/connection/database.ts';
import { leadingTo } from '#db/threats/verdicts.ts';

// A hundred thousand links take about a second; a domain may have many more.
const inLongerTime = { query_timeout: 300_000 };

/**
 * Deletes all live links of a domain or an organization by tombstone, and hides their clicks from statistics: their names are
 * free at once.
 * @returns how many.
 */
export async function tombstoneLinksOf(
  tx: Sql,
  owner: 'domain_id' | 'organization_id',
  id: string,
  { deletionId, now }: { deletionId: string; now: Date },
): Promise<number> {
  const live = `${owner} = $1 and deleted_at is null`;
  // Lock order: links by id (docs/locks.md).
  await tx.query({
    text: `select count(*) from (select 1 from short_links where ${live} order by id for update) held`,
    values: [id],
    ...inLongerTime,
  });
  const { rowCount } = await tx.query({
    text: `with gone as (update short_links set deleted_at = $3 where ${live} returning id, organization_id)
      insert into hidden_links (organization_id, link_id, purge_id) select organization_id, id, $2 from gone`,
    values: [id, deletionId, now],
    ...inLongerTime,
  });
  return rowCount ?? 0;
}

/** A deleted link without `link.deleted`. */
export interface UnreportedLink {
  id: string;
  organizationId: string;
  slug: string;
  deletedAt: Date;
}

/**
 * Takes the next links of a deletion, in the order of their ids, to write `link.deleted` for them; the same transaction writes
 * the events, so that each link gets one.
 */
export async function takeUnreportedLinks(tx: Sql, deletionId: string, limit: number): Promise<UnreportedLink[]> {
  const { rows: held } = await tx.query<{ toldTo: string }>(
    'select told_to as "toldTo" from purges where id = $1 for no key update',
    [deletionId],
  );
  const toldTo = held[0]?.toldTo;
  if (toldTo === undefined) return [];
  const { rows } = await tx.query<UnreportedLink>({
    name: 'purge-untold',
    text: `select l.id, l.organization_id as "organizationId", l.slug, l.deleted_at as "deletedAt"
      from (select link_id from hidden_links where purge_id = $1 and link_id > $2 order by link_id limit $3) h
      join short_links l on l.id = h.link_id order by l.id`,
    values: [deletionId, toldTo, limit],
  });
  const last = rows.at(-1);
  if (last !== undefined) await tx.query('update purges set told_to = $2 where id = $1', [deletionId, last.id]);
  return rows;
}

/** Lists links of a deletion that are still to be removed, the first `limit` after an id. */
export async function listDeletedLinks(sql: Sql, deletionId: string, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'purge-links',
    text: 'select link_id as id from hidden_links where purge_id = $1 and link_id > $2 order by link_id limit $3',
    values: [deletionId, after, limit],
  });
  return rows.map(({ id }) => id);
}

/** Counts links of a deletion that are still to be removed. */
export async function countDeletedLinks(sql: Sql, deletionId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'select count(*) as count from hidden_links where purge_id = $1',
    [deletionId],
  );
  return rows[0]!.count;
}

/**
 * Expires verdicts of deleted links and domains that no live one needs. A transaction that has read one as fresh, and creates a
 * link to its URL, commits long before verdicts are removed: the removal then finds the link.
 * @param ids of links, or of a domain.
 */
export async function expireVerdicts(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query({
    name: 'purge-expire-verdicts',
    text: `
      with led as materialized (
        select url_hash from destinations where link_id = any($1::uuid[]) and url_hash is not null
        union
        select unnest(deep_link_hashes) from destinations where link_id = any($1::uuid[])
        union
        select hash_of_url(expired_url) from short_links where id = any($1::uuid[]) and expired_url is not null
        union
        select hash_of_url(fallback_url) from domains where id = any($1::uuid[]) and fallback_url is not null
      ), unused as materialized (
        select v.url_hash from threat_verdicts v
        where v.url_hash in (select url_hash from led) and v.expires_at > now()
          and not exists (${leadingTo('v.url_hash')})
        order by v.url_hash for update of v
      )
      update threat_verdicts v set expires_at = now() from unused u where v.url_hash = u.url_hash`,
    values: [ids],
  });
}

/** Removes deleted links with their child rows, except clicks and counters. Safe to repeat. @returns how many. */
export async function removeLinks(tx: Sql, linkIds: readonly string[]): Promise<number> {
  const { rows: led } = await tx.query<{ hashes: (Buffer | null)[] }>({
    name: 'purge-destinations',
    text: `delete from destinations where link_id = any($1::uuid[])
      returning url_hash || coalesce(deep_link_hashes, '{}') as hashes`,
    values: [linkIds],
  });
  for (const table of ['rules', 'meta_tags', 'link_tags']) {
    await tx.query({
      name: `purge-${table}`,
      text: `delete from ${table} where link_id = any($1::uuid[])`,
      values: [linkIds],
    });
  }
  const { rows } = await tx.query<{ qrCodeId: string | null; hash: Buffer | null }>({
    name: 'purge-rows',
    text: `delete from short_links where id = any($1::uuid[])
      returning qr_code_id as "qrCodeId", hash_of_url(expired_url) as hash`,
    values: [linkIds],
  });
  await removeQrCodes(
    tx,
    rows.flatMap(({ qrCodeId }) => qrCodeId ?? []),
  );
  await removeVerdicts(
    tx,
    [...led.flatMap(({ hashes }) => hashes), ...rows.map(({ hash }) => hash)].flatMap((hash) => hash ?? []),
  );
  return rows.length;
}

/** Removes the counters of removed links, and last the marks that hide their clicks from statistics. */
export async function removeTraces(tx: Sql, organizationId: string, linkIds: readonly string[]): Promise<void> {
  for (const table of ['link_counters', 'link_caps', 'link_password_failures']) {
    await tx.query({
      name: `purge-${table}`,
      text: `delete from ${table} where link_id = any($1::uuid[])`,
      values: [linkIds],
    });
  }
  await tx.query({
    name: 'purge-hidden',
    text: 'delete from hidden_links where organization_id = $1 and link_id = any($2::uuid[])',
    values: [organizationId, linkIds],
  });
}

/** Removes QR codes that neither a link nor a domain refers to. */
export async function removeQrCodes(tx: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query({
    name: 'purge-qr-codes',
    text: `delete from qr_codes q where id = any($1::uuid[])
      and not exists (select from short_links where qr_code_id = q.id)
      and not exists (select from domains where qr_code_id = q.id)`,
    values: [ids],
  });
}

/** Removes expired verdicts that no scan is under way for, and that no link or domain needs. */
export async function removeVerdicts(tx: Sql, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  await tx.query({
    name: 'purge-verdicts',
    text: `delete from threat_verdicts v where url_hash = any($1::bytea[]) and due_at is null
      and coalesce(expires_at <= now(), true) and not exists (select from destinations where url_hash = v.url_hash)
      and not exists (select from destinations
        where deep_link_hashes is not null and deep_link_hashes @> array[v.url_hash])
      and not exists (${leadingTo('v.url_hash')})`,
    values: [hashes],
  });
}
