import { Migration } from '@mikro-orm/migrations';

/**
 * What a new link costs PostgreSQL (ADR 66). The pending list of the search index has room for a second of new links, since a full
 * list is emptied by a create. And the folder's foreign key stands for those of organization and creator: a folder is removed
 * before both.
 */
export class CheapCreates extends Migration {
  override up(): void {
    this.addSql(`
      alter index short_links_search_idx set (gin_pending_list_limit = 16384);
      alter table short_links
        drop constraint short_links_organization_id_foreign,
        drop constraint short_links_created_by_foreign;
    `);
  }
}
