import { text } from 'node:stream/consumers';
import { to as copyTo } from 'pg-copy-streams';
import { clickColumns } from '#core/clicks/click.ts';
import { monthTable } from '#db/clicks/partitions.ts';
import type { Database } from '#db/connection/database.ts';
import { count } from './figures.ts';

const perStatement = 100_000;

interface Fill {
  organizationId: string;
  domainId: string;
  links: number;
  /** Slugs are this and a number of seven hexadecimal digits. */
  prefix: string;
}

/**
 * Fills a domain with links as creates leave them, scans done. By SQL, with indexes created afterwards: a fraction of the time.
 */
export async function fillWithLinks(db: Database, { organizationId, domainId, links, prefix }: Fill): Promise<void> {
  const startedAt = performance.now();
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
      const last = Math.min(links, from + perStatement) - 1;
      await tx.query(insertLinks, [organizationId, domainId, prefix, from, last]);
    }
    // The triggers that count were off.
    await tx.query(
      `insert into link_totals as t (organization_id, shard, links) values ($1, 0, $2)
       on conflict (organization_id, shard) do update set links = t.links + excluded.links`,
      [organizationId, links],
    );
  });
  await db.transaction(async (tx) => {
    await tx.query(`set local maintenance_work_mem = '512MB'`);
    for (const { definition } of indexes.rows) await tx.query(definition);
  });
  await db.query('vacuum analyze');
  console.log(`  ${count(links)} links made in ${count((performance.now() - startedAt) / 1_000)} s`);
}

const insertLinks = `
  with numbers as materialized (
    select n, gen_random_uuid() as id, $3 || lpad(to_hex(n), 7, '0') as slug, 'https://example.com/large/' || $3 || n as url,
      now() - (n % 31536000) * interval '1 second' as created_at
    from generate_series($4::int, $5::int) as n
  ), links as (
    insert into short_links (id, organization_id, domain_id, folder_id, slug, search_text, created_at, updated_at)
    select n.id, $1, d.id, f.id, slug, concat_ws(E'\\n', slug, 'https://' || d.domain || '/' || slug, url, ''), n.created_at, n.created_at
    from numbers n join domains d on d.id = $2 join folders f on f.organization_id = $1 and f.is_default
  ), targets as (
    insert into destinations (id, link_id, type, value, url_hash)
    select gen_random_uuid(), id, 'link', url, hash_of_url(url) from numbers
  ), verdicts as (
    insert into threat_verdicts (url_hash, url, threat_types, requested_at, scanned_at, expires_at)
    select hash_of_url(url), url, '{}', created_at, created_at, now() + interval '1 day' from numbers
  )
  insert into events (id, organization_id, type, link_id, body, created_at)
  select gen_random_uuid(), $1, 'link.created', id, '{"type":"link.created"}', created_at from numbers`;

export interface ClickFill {
  clicks: number;
  /** Unix time of the last one in milliseconds; they are spread evenly over sixty days before. */
  endMs: number;
  /**
   * SQL condition on a row `b` of `bench_links` that finds the link of click `n`; `r`, `s` and `t` are numbers from 0 up to 1, by
   * chance and the same ones each time.
   */
  linkOf: string;
}

/** Days that clicks are spread over; the last one has not ended. */
export const days = 60;
const daySeconds = 86_400;

/** The table from which links are chosen. `visitors`: how many different ones its organization has. */
export const benchLinks = `create table bench_links (owner int, number int, id uuid, organization_id uuid, domain_id uuid,
  folder_id uuid, tag_ids uuid[], visitors int, primary key (owner, number))`;

const chance = (seed: number): string => `((hashint8extended(n, ${seed}) & 16777215) / 16777216.0)::float8`;
const pick = (values: string, share: string): string =>
  `(array['${values.split(' ').join(`','`)}'])[1 + floor(${values.split(' ').length} * ${share})::int]`;

/** A query of clicks `from` up to `to`, without it, whose columns are in the order of `clickColumns`. */
function selectClicks({ clicks, endMs, linkOf }: ClickFill, from: number, to: number): string {
  const campaign = (part: string, count: number): string => `case when n % 5 < 2 then '${part} ' || n % ${count} end`;
  return `
    select overlay(gen_random_uuid()::text placing '7' from 15 for 1)::uuid as id,
      to_timestamp(${endMs / 1_000} - ${days * daySeconds} * (1 - n / ${clicks}::float8))::timestamptz(3) as clicked_at, b.id as link_id,
      substr(sha256(convert_to(b.organization_id || ' ' || floor(b.visitors * ${chance(1)}), 'UTF8')), 1, 16) as visitor,
      ${pick('US IN DE BR GB FR ID JP ES IT MX PL NL TR CA AU SE CH AT BE', '(city % 20) / 20.0')} as country,
      'Region ' || city % 300 as region, 'City ' || city as city, ${pick('NA AS EU SA OC AF', '(city % 6) / 6.0')} as continent,
      ${pick('en de fr es pt hi ja pl', `${chance(3)} ^ 2`)} as lang, case when os < 2 then 'mobile' else 'desktop' end as device,
      ${pick('Chrome Safari Firefox Edge Samsung Opera', `${chance(4)} ^ 2`)} as browser,
      ${pick('Android iOS Windows macOS Linux', 'os / 5.0')} as os,
      case when ${chance(6)} < 0.6 then 'site' || floor(120 * ${chance(7)}) || '.example' end as referer, n % 10 = 0 as is_qr_code,
      ${campaign('source', 7)} as utm_source, ${campaign('medium', 3)} as utm_medium, ${campaign('campaign', 30)} as utm_campaign,
      null as utm_term, null as utm_content, b.organization_id, b.domain_id, b.folder_id, b.tag_ids,
      'https://shop.example/products/' || b.number || '?variant=' || n % 3 as destination
    from (select n, floor(3000 * ${chance(2)} ^ 3)::int as city, floor(5 * ${chance(5)} ^ 2)::int as os, ${chance(8)} as r,
      ${chance(9)} as s, ${chance(10)} as t from generate_series(${from}::bigint, ${to - 1}::bigint) n) c
    join bench_links b on ${linkOf}`;
}

/** Fills an empty database with clicks of `bench_links`, before the indexes exist, and counts them by link and by day. */
export async function fillWithClicks(db: Database, fill: ClickFill, signal: AbortSignal): Promise<void> {
  const { clicks, endMs } = fill;
  const startedAt = performance.now();
  const stepMs = (days * daySeconds * 1_000) / clicks;
  for (let from = 0; from < clicks;) {
    signal.throwIfAborted();
    const month = new Date(endMs - (clicks - from) * stepMs).toISOString().slice(0, 7);
    const nextMs = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
    const to = Math.min(clicks, Math.max(from + 1, Math.ceil(clicks - (endMs - nextMs) / stepMs)));
    await db.transaction(async (tx) => {
      await tx.query('select create_click_month($1)', [month]);
      await tx.query(`insert into ${monthTable(month)} (${clickColumns.join(', ')}) ${selectClicks(fill, from, to)}`);
      // Attaching creates the indexes that all partitions have.
      await tx.query(`set local maintenance_work_mem = '1GB'`);
      await tx.query('select attach_click_month($1)', [month]);
    });
    from = to;
    console.log(
      `  ${count(from)} of ${count(clicks)} clicks after ${count((performance.now() - startedAt) / 1_000)} s`,
    );
  }
  await db.query('insert into link_counters (link_id, clicks) select link_id, count(*) from clicks group by 1');
  await db.query(
    `with counted as (
       select organization_id, (clicked_at at time zone 'UTC')::date as day,
         floor(extract(epoch from (clicked_at at time zone 'UTC')::time) / 900)::int as quarter, count(*)::int as clicks
       from clicks group by 1, 2, 3)
     insert into click_days (organization_id, day, quarters)
     select d.organization_id, d.day, array_agg(coalesce(c.clicks, 0) order by q)
     from (select distinct organization_id, day from counted) d cross join generate_series(0, 95) q
     left join counted c on c.organization_id = d.organization_id and c.day = d.day and c.quarter = q
     group by d.organization_id, d.day`,
  );
  await db.query('vacuum analyze');
}

/** Makes clicks of `bench_links` as lines of a journal. */
export async function makeClickLines(db: Database, fill: ClickFill, from: number, to: number): Promise<string[]> {
  const time = `to_char(clicked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const columns = clickColumns.map((column) => (column === 'clicked_at' ? time : column)).join(', ');
  const client = await db.pool.connect();
  try {
    const made = await text(
      client.query(copyTo(`copy (select ${columns} from (${selectClicks(fill, from, to)}) c) to stdout`)),
    );
    return made.split(/(?<=\n)/);
  } finally {
    client.release();
  }
}
