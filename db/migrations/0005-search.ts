import { Migration } from '@mikro-orm/migrations';

/** Makes links searchable by parts of their slug, short URL, destination and title. */
export class Search extends Migration {
  override up(): void {
    this.addSql(`
      create extension if not exists pg_trgm;
      create extension if not exists btree_gin;
      alter table short_links add column search_text text not null default '';
      create index short_links_search_idx on short_links using gin (organization_id, search_text gin_trgm_ops)
        where deleted_at is null;
    `);
  }
}
