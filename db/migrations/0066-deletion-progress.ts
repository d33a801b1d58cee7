import { Migration } from '@mikro-orm/migrations';

/** How many links of a deletion are removed, so that its progress is read from one row. */
export class DeletionProgress extends Migration {
  override up(): void {
    this.addSql('alter table purges add column links_removed integer not null default 0;');
  }
}
