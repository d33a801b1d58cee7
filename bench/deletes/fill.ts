import { uuidv7 } from '#core/lib/uuid.ts';
import { createPartitions } from '#db/clicks/partitions.ts';
import type { BenchDatabase } from '#bench/lib/database.ts';

const chunk = 10_000;
const days = 60;
const msPerDay = 86_400_000;

/** Makes a domain with links, and clicks of them over two months, by plain SQL. @returns its id. */
export async function fillDomain(
  { db, actor: { organizationId, userId } }: BenchDatabase,
  { links, clicks }: { links: number; clicks: number },
): Promise<string> {
  const id = uuidv7();
  await db.query(
    `insert into domains (id, organization_id, domain, is_verified, txt_record)
     values ($1, $2, 'gone.example', true, 'waymark-verify=bench')`,
    [id, organizationId],
  );
  const nowMs = Date.now();
  const months = Array.from({ length: days + 1 }, (_, day) =>
    new Date(nowMs - day * msPerDay).toISOString().slice(0, 7),
  );
  await createPartitions(db, (error) => {
    throw error;
  }).ensure(months, nowMs);
  for (let from = 0; from < links; from += chunk) {
    const to = Math.min(from + chunk, links);
    await db.query(
      `with made as (
         insert into short_links (id, organization_id, domain_id, folder_id, slug, created_by, search_text)
         select new_id(), $1, $2, f.id, 'gone-' || n, $3, 'gone-' || n || ' gone.example/gone-' || n
         from generate_series($4::int, $5::int - 1) n cross join folders f where f.organization_id = $1 and f.is_default
         returning id, slug
       ), led as (
         insert into destinations (id, link_id, type, value, url_hash)
         select new_id(), id, 'link', 'https://example.com/' || slug, sha256(convert_to('https://example.com/' || slug, 'UTF8'))
         from made
       )
       insert into threat_verdicts (url_hash, url, threat_types, scanned_at, expires_at)
       select sha256(convert_to('https://example.com/' || slug, 'UTF8')), 'https://example.com/' || slug, '{}', now(),
         now() + interval '1 day' from made`,
      [organizationId, id, userId, from, to],
    );
  }
  await db.query(
    `insert into clicks (id, clicked_at, organization_id, link_id, domain_id, folder_id, tag_ids, country, device,
       is_qr_code, destination, visitor)
     select gen_random_uuid(), now() - (n::float8 / $3) * interval '${days} days', $1, l.id, $2, l.folder_id, '{}', 'DE',
       'desktop', false, 'https://example.com/', substr(decode(md5(n::text), 'hex'), 1, 16)
     from generate_series(1, $3::int) n
     join (select id, folder_id, row_number() over () - 1 as place from short_links where domain_id = $2) l
       on l.place = (n::bigint * 7919) % $4::int`,
    [organizationId, id, clicks, links],
  );
  await db.query(
    `insert into link_counters (link_id, clicks) select link_id, count(*) from clicks where domain_id = $1 group by 1`,
    [id],
  );
  await db.query(
    `with counted as (
       select (clicked_at at time zone 'UTC')::date as day,
         floor(extract(epoch from (clicked_at at time zone 'UTC')::time) / 900)::int as quarter, count(*)::int as clicks
       from clicks where organization_id = $1 group by 1, 2)
     insert into click_days (organization_id, day, quarters)
     select $1, d.day, array_agg(coalesce(c.clicks, 0) order by q)
     from (select distinct day from counted) d cross join generate_series(0, 95) q
     left join counted c on c.day = d.day and c.quarter = q group by d.day`,
    [organizationId],
  );
  await db.query('vacuum analyze');
  return id;
}
