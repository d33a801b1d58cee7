import { count } from '#bench/lib/figures.ts';
import { type BenchDatabase, linkHost } from '#bench/lib/database.ts';

const perStatement = 100_000;

/**
 * Fills a database with links as creates leave them, scans done. By SQL, with indexes created afterwards: a fraction of the
 * time.
 */
export async function fillWithLinks({ db, actor }: BenchDatabase, links: number): Promise<void> {
  const startedAt = performance.now();
  const { rows } = await db.query<{ folder: string; domain: string }>(
    `select (select id from folders where organization_id = $1 and is_default) as folder,
       (select id from domains where organization_id is null) as domain`,
    [actor.organizationId],
  );
  const { folder, domain } = rows[0]!;
  const indexes = await db.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = any('{short_links,destinations,threat_verdicts,events}'::regclass[]) and not i.indisunique`,
  );
  for (const { name } of indexes.rows) await db.query(`drop index ${name}`);
  // The references are valid; checking each one would take longer than the rest.
  await db.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = 'replica'`);
    for (let from = 0; from < links; from += perStatement) {
      await tx.query(insertLinks, [
        actor.organizationId,
        domain,
        folder,
        from,
        Math.min(links, from + perStatement) - 1,
      ]);
    }
    // The triggers that count were off.
    await tx.query(
      `insert into link_totals as t (organization_id, shard, links) values ($1, 0, $2)
       on conflict (organization_id, shard) do update set links = t.links + excluded.links`,
      [actor.organizationId, links],
    );
  });
  await db.transaction(async (tx) => {
    await tx.query(`set local maintenance_work_mem = '512MB'`);
    for (const { definition } of indexes.rows) await tx.query(definition);
  });
  await db.query('vacuum analyze');
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${count(links)} links made in ${seconds.toFixed(0)} s`);
}

const insertLinks = `
  with numbers as materialized (
    select n, gen_random_uuid() as id, 'g' || lpad(to_hex(n), 7, '0') as slug, 'https://example.com/large/' || n as url,
      now() - (n % 31536000) * interval '1 second' as created_at
    from generate_series($4::int, $5::int) as n
  ), links as (
    insert into short_links (id, organization_id, domain_id, folder_id, slug, search_text, created_at, updated_at)
    select id, $1, $2, $3, slug, concat_ws(E'\\n', slug, 'https://${linkHost}/' || slug, url, ''), created_at, created_at from numbers
  ), targets as (
    insert into destinations (id, link_id, type, value, url_hash)
    select gen_random_uuid(), id, 'link', url, sha256(convert_to(url, 'UTF8')) from numbers
  ), verdicts as (
    insert into threat_verdicts (url_hash, url, threat_types, requested_at, scanned_at, expires_at)
    select sha256(convert_to(url, 'UTF8')), url, '{}', created_at, created_at, now() + interval '1 day' from numbers
  )
  insert into events (id, organization_id, type, link_id, body, created_at)
  select gen_random_uuid(), $1, 'link.created', id, '{"type":"link.created"}', created_at from numbers`;
