import { Migration } from '@mikro-orm/migrations';

/** Random keys of visitors' hashes, one a month, and organizations that honour `Sec-GPC`. */
export class VisitorKeys extends Migration {
  override up(): void {
    this.addSql(`
      create table visitor_keys (
        month text not null,
        key bytea not null,
        created_at timestamptz(3) not null default now(),
        primary key (month)
      );
      alter table organizations add column honours_gpc boolean not null default false;
    `);
  }
}
