import { setTimeout } from 'node:timers/promises';
import type { Sql } from '#db/connection/database.ts';
import { heldKeys, lockKeyOf } from '#db/clicks/journal-lock.ts';

interface ClickGrant {
  granted: number;
  left: number;
}

// An edge that has not reported its clicks as counted by then has no database, or far more clicks than usual.
const countMs = 2_000;
const askAgainMs = 20;

// By hand, every statement of this file: the edge, which loads no ORM, asks for clicks (bench row R5).

/**
 * Takes up to `count` clicks of a link's cap (4.4), as it is in the database now: a cap that was lifted grants all. Clicks from
 * before the cap count (3.9). A deleted link grants none.
 * @param count 0 only reads what is left.
 */
export async function takeClicks(sql: Sql, linkId: string, count: number): Promise<ClickGrant> {
  let known = await tryTake(sql, linkId, count, true);
  if (known === undefined) {
    await sql.query({
      name: 'grants-open',
      text: `insert into link_caps (link_id) select id from short_links where id = $1 on conflict do nothing`,
      values: [linkId],
    });
    known = await tryTake(sql, linkId, count, true);
  }
  const giveUpAtMs = performance.now() + countMs;
  while (known?.isCounting) {
    await setTimeout(askAgainMs);
    known = await tryTake(sql, linkId, count, performance.now() < giveUpAtMs);
  }
  return known === undefined ? { granted: 0, left: 0 } : { granted: known.granted, left: known.left };
}

async function tryTake(
  sql: Sql,
  linkId: string,
  count: number,
  mayWait: boolean,
): Promise<(ClickGrant & { isCounting: boolean }) | undefined> {
  // Locks the row first: the rest is read after the grants before have committed.
  const { rows } = await sql.query<ClickGrant & { isCounting: boolean }>({
    name: 'grants-take',
    text: `
      with cap as materialized (
        select c.link_id, used.clicks as used, greatest(coalesce(l.max_clicks - used.clicks, $2::bigint + 1), 0) as available,
          case when $3::boolean and c.set_at > now() - ${countMs} * interval '1 millisecond' then exists (
            select from journals j where j.finished_at is null and coalesce(j.counted_at < c.set_at, true)
              and ${lockKeyOf('j.id')} in (${heldKeys})) else false end as is_counting
        from link_caps c join short_links l on l.id = c.link_id left join link_counters n on n.link_id = c.link_id
        cross join lateral (select greatest(c.granted, n.clicks) as clicks) used
        where c.link_id = $1 and l.deleted_at is null
        for update of c
      ), taking as (
        update link_caps c set granted = cap.used + least($2::bigint, cap.available)
        from cap where c.link_id = cap.link_id and $2::bigint > 0 and cap.available > 0 and not cap.is_counting
      )
      select least($2::bigint, available) as granted, available - least($2::bigint, available) as left,
        is_counting as "isCounting"
      from cap`,
    values: [linkId, count, mayWait],
  });
  return rows[0];
}
