import { Migration } from '@mikro-orm/migrations';

/** An internal text of a link. */
export class LinkNotes extends Migration {
  override up(): void {
    this.addSql('alter table short_links add column notes text');
  }
}
