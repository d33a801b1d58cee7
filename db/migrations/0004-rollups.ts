import { Migration } from '@mikro-orm/migrations';

/** Counts of clicks, kept beside the clicks. */
export class Rollups extends Migration {
  override up(): void {
    this.addSql(`
      create table click_days (
        organization_id uuid not null,
        day date not null,
        quarters int[] not null,
        primary key (organization_id, day)
      ) with (fillfactor = 80);

      create table click_rolls (
        organization_id uuid not null,
        day date not null,
        quarters int not null,
        clicks int not null,
        unrolled int not null,
        primary key (organization_id, day)
      );

      create table click_values (
        organization_id uuid not null,
        dimension smallint not null,
        day date not null,
        groups text[] not null,
        counts int[] not null,
        primary key (organization_id, dimension, day)
      );

      create table hidden_links (
        organization_id uuid not null,
        link_id uuid not null,
        primary key (organization_id, link_id)
      );

      -- Counts of visitors, and of clicks by time, read nothing but the index.
      drop index clicks_organization_id_idx;
      create index clicks_organization_id_idx on clicks (organization_id, clicked_at) include (visitor, link_id);

      insert into click_days (organization_id, day, quarters)
      select d.organization_id, d.day,
        array(select count(c.id)::int from generate_series(0, 95) q
          left join clicks c on c.organization_id = d.organization_id
            and c.clicked_at >= d.day::timestamp at time zone 'UTC' + q * interval '15 minutes'
            and c.clicked_at < d.day::timestamp at time zone 'UTC' + (q + 1) * interval '15 minutes'
          group by q order by q)
      from (select distinct organization_id, (clicked_at at time zone 'UTC')::date as day from clicks) d;

      insert into hidden_links (organization_id, link_id)
      select organization_id, id from short_links where deleted_at is not null;
    `);
  }
}
