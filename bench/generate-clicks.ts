import { parseArgs } from 'node:util';
import { createDatabase, type Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';

/**
 * Fills a database of its own with clicks for the benchmarks of statistics: `node bench/generate-clicks.ts --url
 * postgres://… [--clicks 2000000] [--organizations 1000] [--days 60] [--largest 400000] [--link 738000]`. Organizations are
 * as unequal as they are: the first has `largest` clicks, the second one link with `link` clicks. The same numbers give the
 * same kind of clicks, up to now.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    clicks: { type: 'string', default: '2000000' },
    organizations: { type: 'string', default: '1000' },
    days: { type: 'string', default: '60' },
    largest: { type: 'string', default: '400000' },
    link: { type: 'string', default: '738000' },
  },
});

const chunk = 200_000;

async function main(): Promise<void> {
  if (values.url === undefined) throw new Error('Say --url postgres://… of an empty database.');
  const [clicks, organizations, days] = [Number(values.clicks), Number(values.organizations), Number(values.days)];
  await migrate(values.url);
  const db = createDatabase({ url: values.url });
  try {
    await makeLinks(db, organizations);
    await makePartitions(db, days);
    const shares = { largest: Number(values.largest) / clicks, link: Number(values.link) / clicks };
    for (let made = 0; made < clicks; made += chunk) {
      await makeClicks(db, {
        from: made,
        to: Math.min(made + chunk, clicks),
        of: clicks,
        organizations,
        days,
        ...shares,
      });
      process.stderr.write(`\r${made + chunk} clicks`);
    }
    await countDays(db);
    await db.query('vacuum analyze');
    process.stderr.write('\n');
  } finally {
    await db.close();
  }
}

/** Each organization has a folder, a domain and 200 links; ids tell their number. */
async function makeLinks(db: Database, organizations: number): Promise<void> {
  await db.query(`
    create function bench_id(kind int, owner bigint, item bigint) returns uuid immutable language sql as
      $$ select (lpad(to_hex(kind), 8, '0') || lpad(to_hex(owner), 12, '0') || lpad(to_hex(item), 12, '0'))::uuid $$;
    insert into organizations (id, name, plan)
      select bench_id(1, o, 0), 'Organization ' || o, 'premium' from generate_series(0, ${organizations - 1}) o;
    insert into folders (id, organization_id, name, name_key, color, is_default)
      select bench_id(2, o, 0), bench_id(1, o, 0), 'Links', 'links', '#112233', true
      from generate_series(0, ${organizations - 1}) o;
    insert into domains (id, organization_id, domain, is_verified, txt_record)
      select bench_id(3, o, 0), bench_id(1, o, 0), 'go' || o || '.example', true, 'waymark-verify=bench'
      from generate_series(0, ${organizations - 1}) o;
    insert into short_links (id, organization_id, domain_id, folder_id, slug)
      select bench_id(4, o, l), bench_id(1, o, 0), bench_id(3, o, 0), bench_id(2, o, 0), 'link-' || l
      from generate_series(0, ${organizations - 1}) o, generate_series(0, 199) l;
  `);
}

async function makePartitions(db: Database, days: number): Promise<void> {
  await db.query(`
    do $$
    declare month timestamptz := date_trunc('month', now() - interval '${days} days', 'UTC');
    begin
      while month <= now() loop
        execute format('create table clicks_y%s partition of clicks for values from (%L) to (%L)',
          to_char(month at time zone 'UTC', 'YYYY"m"MM'), month, month + interval '1 month');
        month := month + interval '1 month';
      end loop;
    end $$`);
}

/** A part of all clicks. */
interface Part {
  from: number;
  to: number;
  of: number;
  organizations: number;
  days: number;
  /** Share of the first organization. */
  largest: number;
  /** Share of the second organization's first link. */
  link: number;
}

async function makeClicks(db: Database, part: Part): Promise<void> {
  await db.query(
    `insert into clicks (id, clicked_at, organization_id, link_id, domain_id, folder_id, tag_ids, country, region, city,
       continent, lang, device, browser, os, referer, utm_source, utm_medium, utm_campaign, is_qr_code, destination, visitor)
     select gen_random_uuid(), clicked_at, bench_id(1, o, 0), bench_id(4, o, l), bench_id(3, o, 0), bench_id(2, o, 0), '{}',
       (array['US','IN','DE','BR','GB','FR','ID','JP','ES','IT','MX','PL','NL','TR','CA','AU','SE','CH','AT','BE'])
         [1 + city % 20],
       'Region ' || city % 300, 'City ' || city, (array['NA','AS','EU','SA','OC','AF'])[1 + city % 6],
       (array['en','de','fr','es','pt','hi','ja','pl'])[1 + city % 8],
       (array['mobile','desktop','tablet'])[1 + floor(3 * r3 * r3)::int],
       (array['Chrome','Safari','Firefox','Edge','Samsung Internet','Opera'])[1 + floor(6 * r4 * r4)::int],
       (array['Android','iOS','Windows','macOS','Linux'])[1 + floor(5 * r5 * r5)::int],
       case when r4 < 0.6 then 'site' || floor(120 * r5 * r5) || '.example' end,
       case when r5 < 0.4 then (array['newsletter','google','facebook','x','linkedin'])[1 + floor(5 * r3)::int] end,
       case when r5 < 0.4 then (array['email','cpc','social'])[1 + floor(3 * r4)::int] end,
       case when r5 < 0.3 then 'campaign ' || floor(30 * r3) end,
       r3 < 0.1, 'https://shop' || o || '.example/products/' || l || '?variant=' || floor(3 * r4),
       substr(decode(md5(o || ' ' || floor(r6 * weight)), 'hex'), 1, 16)
     from (
       select *, case when pick < $6 then 0 when pick < $6 + $7 then 1 else 2 + floor(($5 - 2) * r2 * r2)::int end as o,
         case when pick >= $6 and pick < $6 + $7 then 0 else floor(200 * r1 * r1 * r1)::int end as l,
         floor(3000 * r7 * r7 * r7)::int as city,
         0.7 * $3::float8 * case when pick < $6 then $6 when pick < $6 + $7 then $7 else 1.0 / $5 end as weight
       from (
         select now() - ((1 - i::float8 / $3::float8) * $4::float8) * interval '1 day' as clicked_at, random() as pick,
           random() as r1, random() as r2, random() as r3, random() as r4, random() as r5, random() as r6, random() as r7
         from generate_series($1::bigint, $2::bigint - 1) i
       ) rolls
     ) clicks`,
    [part.from, part.to, part.of, part.days, part.organizations, part.largest, part.link],
  );
}

async function countDays(db: Database): Promise<void> {
  await db.query(`
    with counted as (
      select organization_id, (clicked_at at time zone 'UTC')::date as day,
        floor(extract(epoch from (clicked_at at time zone 'UTC')::time) / 900)::int as quarter, count(*)::int as clicks
      from clicks group by 1, 2, 3
    )
    insert into click_days (organization_id, day, quarters)
    select d.organization_id, d.day, array_agg(coalesce(c.clicks, 0) order by q)
    from (select distinct organization_id, day from counted) d cross join generate_series(0, 95) q
    left join counted c on c.organization_id = d.organization_id and c.day = d.day and c.quarter = q
    group by 1, 2`);
}

await main();
