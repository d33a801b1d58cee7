import { Migration } from '@mikro-orm/migrations';

/** The moment of each link's latest click. Links that were clicked before this migration get it with their next click. */
export class LastClicks extends Migration {
  override up(): void {
    this.addSql('alter table link_counters add column last_clicked_at timestamptz(3)');
  }
}
