import { Migration } from '@mikro-orm/migrations';

/**
 * Deletes of links are counted in rows of their own. A domain's delete counts its links before it locks the domain; a create
 * that held the domain waited for that count where the two connections shared a row, and one of them was ended and run again.
 */
export class DeleteTotals extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function count_updated_links() returns trigger language plpgsql as $$
        begin
          insert into link_totals as t (organization_id, shard, links)
          select organization_id, 64 + pg_backend_pid() % 64, sum(links) from (
            select organization_id, 1 as links from new_links where deleted_at is null
            union all
            select organization_id, -1 as links from old_links where deleted_at is null) c
          group by organization_id having sum(links) <> 0 order by organization_id
          on conflict (organization_id, shard) do update set links = t.links + excluded.links;
          return null;
        end
      $$;
    `);
  }
}
