import { Migration } from '@mikro-orm/migrations';

/** Links and files that staff took down, and reasons of suspensions. */
export class TakeDowns extends Migration {
  override up(): void {
    this.addSql(`
      alter table organizations add column suspension_reason text;
      alter table short_links add column taken_down_at timestamptz(3), add column taken_down_reason text,
        add column active_before_take_down boolean;
      alter table files add column taken_down_at timestamptz(3), add column taken_down_reason text;
    `);
  }
}
