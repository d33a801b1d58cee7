import { Migration } from '@mikro-orm/migrations';

/**
 * What is deleted and is still to be removed for good (docs/adr/0011). What was deleted before is removed too: its links in
 * parts, by organization, then its domains and folders.
 */
export class Purges extends Migration {
  override up(): void {
    this.addSql(`
      create table purges (
        id uuid not null,
        kind text not null,
        organization_id uuid not null,
        links int not null,
        told_to uuid not null,
        deleted_at timestamptz(3) not null,
        due_at timestamptz(3) not null default now(),
        primary key (id)
      );
      alter table purges add constraint purges_kind_check check (kind in ('links', 'domain', 'folder', 'organization'));
      create index purges_due_at_idx on purges (due_at);
      create index purges_organization_id_idx on purges (organization_id);

      alter table hidden_links add column purge_id uuid;
      create index hidden_links_purge_id_idx on hidden_links (purge_id, link_id) where purge_id is not null;

      create temporary table parts on commit drop as
        select id, organization_id, deleted_at, first_value(id) over (partition by organization_id, part order by id) as purge_id
        from (
          select id, organization_id, deleted_at,
            (row_number() over (partition by organization_id order by id) - 1) / 500 as part
          from short_links where deleted_at is not null) gone;
      insert into purges (id, kind, organization_id, links, told_to, deleted_at)
        select purge_id, 'links', organization_id, count(*), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, max(deleted_at)
        from parts group by 1, 3;
      insert into hidden_links (organization_id, link_id, purge_id) select organization_id, id, purge_id from parts
        on conflict (organization_id, link_id) do update set purge_id = excluded.purge_id;
      insert into purges (id, kind, organization_id, links, told_to, deleted_at)
        select id, 'domain', organization_id, 0, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, deleted_at
        from domains where deleted_at is not null and organization_id is not null
        union all
        select id, 'folder', organization_id, 0, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, deleted_at
        from folders where deleted_at is not null;
    `);
  }
}
