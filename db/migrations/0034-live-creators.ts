import { Migration } from '@mikro-orm/migrations';

/** The index of links by their creator leaves out links without one: deletes of a hundred thousand links write no entry there. */
export class LiveCreators extends Migration {
  override up(): void {
    this.addSql(`
      drop index short_links_created_by_idx;
      create index short_links_created_by_idx on short_links (created_by) where created_by is not null;
    `);
  }
}
