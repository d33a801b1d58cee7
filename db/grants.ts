import type { Sql } from './database.ts';

/** What the database says when it is asked for clicks of a cap. */
export interface ClickGrant {
  /** How many of those asked for are granted. */
  granted: number;
  /** How many are left after that. */
  left: number;
}

/**
 * Takes up to `count` clicks of a link's cap (4.4), as it stands in the database now: a cap that was lifted grants all. Clicks
 * from times without a cap count, once they are ingested (3.9). A link that is gone grants none.
 * @param count 0 only asks what is left.
 */
export async function takeClicks(sql: Sql, linkId: string, count: number): Promise<ClickGrant> {
  const known = await tryTake(sql, linkId, count);
  if (known !== undefined) return known;
  await sql.query({
    name: 'grants-open',
    text: `insert into link_caps (link_id) select id from short_links where id = $1 on conflict do nothing`,
    values: [linkId],
  });
  return (await tryTake(sql, linkId, count)) ?? { granted: 0, left: 0 };
}

async function tryTake(sql: Sql, linkId: string, count: number): Promise<ClickGrant | undefined> {
  // The row is locked first: what is left is read after whoever took before has committed.
  const { rows } = await sql.query<ClickGrant>({
    name: 'grants-take',
    text: `
      with cap as materialized (
        select c.link_id, used.clicks as used, greatest(coalesce(l.max_clicks - used.clicks, $2::bigint + 1), 0) as available
        from link_caps c join short_links l on l.id = c.link_id left join link_counters n on n.link_id = c.link_id
        cross join lateral (select greatest(c.granted, n.clicks) as clicks) used
        where c.link_id = $1 and l.deleted_at is null
        for update of c
      ), taking as (
        update link_caps c set granted = cap.used + least($2::bigint, cap.available)
        from cap where c.link_id = cap.link_id and $2::bigint > 0 and cap.available > 0
      )
      select least($2::bigint, available) as granted, available - least($2::bigint, available) as left from cap`,
    values: [linkId, count],
  });
  return rows[0];
}
