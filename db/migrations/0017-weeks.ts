import { Migration } from '@mikro-orm/migrations';

/** Counts of whole weeks, added up from those of days. */
export class Weeks extends Migration {
  override up(): void {
    this.addSql(`
      create table click_week_rolls (
        organization_id uuid not null,
        day date not null,
        clicks int not null,
        unrolled int not null,
        primary key (organization_id, day)
      );

      create table click_week_values (
        organization_id uuid not null,
        dimension smallint not null,
        day date not null,
        groups text[] not null,
        counts int[] not null,
        primary key (organization_id, dimension, day)
      );
    `);
  }
}
