import { Migration } from '@mikro-orm/migrations';

/** Links that were archived: they do not redirect, and lists leave them out. */
export class ArchivedLinks extends Migration {
  override up(): void {
    this.addSql(`
      alter table short_links add column is_archived boolean not null default false;
      create index short_links_archived_idx on short_links (organization_id) where is_archived and deleted_at is null;
    `);
  }
}
