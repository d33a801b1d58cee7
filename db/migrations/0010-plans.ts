import { Migration } from '@mikro-orm/migrations';

const added = 'select organization_id, 1 as links from new_links where deleted_at is null';
const taken = 'select organization_id, -1 as links from old_links where deleted_at is null';

// Connections write to rows of their own, as far as there are enough, and so do not wait for each other. Organizations come
// in order, so that none wait in a circle.
const add = (changes: string): string => `
  insert into link_totals as t (organization_id, shard, links)
  select organization_id, pg_backend_pid() % 64, sum(links) from (${changes}) c
  group by organization_id having sum(links) <> 0 order by organization_id
  on conflict (organization_id, shard) do update set links = t.links + excluded.links`;

/**
 * Counts the links of each organization, in rows that the database itself keeps in step, and lets indexes of what links
 * seldom have leave the others out.
 */
export class Plans extends Migration {
  override up(): void {
    this.addSql(`
      drop index short_links_qr_code_id_idx;
      create index short_links_qr_code_id_idx on short_links (qr_code_id) where qr_code_id is not null;

      -- One index where there were two: of all destinations of a link, and that it has one without a rule.
      create unique index destinations_link_key on destinations (link_id, rule_id) nulls not distinct;
      drop index destinations_link_id_idx;
      drop index destinations_main_key;

      create table link_totals (
        organization_id uuid not null,
        shard int not null,
        links bigint not null,
        primary key (organization_id, shard)
      );

      create function count_inserted_links() returns trigger language plpgsql as $$
        begin ${add(added)}; return null; end
      $$;
      create function count_updated_links() returns trigger language plpgsql as $$
        begin ${add(`${added} union all ${taken}`)}; return null; end
      $$;
      create function count_deleted_links() returns trigger language plpgsql as $$
        begin ${add(taken)}; return null; end
      $$;
      create function count_no_links() returns trigger language plpgsql as $$
        begin truncate link_totals; return null; end
      $$;
      create trigger count_inserted after insert on short_links
        referencing new table as new_links for each statement execute function count_inserted_links();
      create trigger count_updated after update on short_links
        referencing old table as old_links new table as new_links for each statement execute function count_updated_links();
      create trigger count_deleted after delete on short_links
        referencing old table as old_links for each statement execute function count_deleted_links();
      create trigger count_none after truncate on short_links for each statement execute function count_no_links();

      -- The triggers keep others from writing until this is committed.
      insert into link_totals (organization_id, shard, links)
      select organization_id, 0, count(*) from short_links where deleted_at is null group by organization_id;
    `);
  }
}
