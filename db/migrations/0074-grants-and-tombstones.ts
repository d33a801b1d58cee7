import { Migration } from '@mikro-orm/migrations';

/** The key by which a person was invited, and the names of links that staff took down. */
export class GrantsAndTombstones extends Migration {
  override up(): void {
    this.addSql(`
      alter table invitations add column key_id uuid;
      create table taken_down_names (
        slug_key text not null,
        domain text not null,
        link_id uuid not null,
        organization_id uuid not null,
        taken_down_at timestamptz(3) not null,
        primary key (slug_key, domain)
      );
      create index taken_down_names_link_id_idx on taken_down_names (link_id);
      insert into taken_down_names (slug_key, domain, link_id, organization_id, taken_down_at)
      select replace(l.slug, U&'\\FE0F', ''), d.domain, l.id, l.organization_id, l.taken_down_at
      from short_links l join domains d on d.id = l.domain_id
      where l.taken_down_at is not null
      on conflict do nothing;
    `);
  }
}
