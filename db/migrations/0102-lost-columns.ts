import { Migration } from '@mikro-orm/migrations';

/** Notes which columns of an imported file held values that no field was read from. */
export class LostColumns extends Migration {
  override up(): void {
    this.addSql('alter table imports add column lost_columns text[] null');
  }
}
