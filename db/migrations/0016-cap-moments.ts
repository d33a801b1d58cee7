import { Migration } from '@mikro-orm/migrations';

/** When a link was given a cap, and up to which such moment a journal's clicks are counted. */
export class CapMoments extends Migration {
  override up(): void {
    this.addSql(`
      alter table link_caps add column set_at timestamptz(3);
      alter table journals add column counted_at timestamptz(3);
    `);
  }
}
