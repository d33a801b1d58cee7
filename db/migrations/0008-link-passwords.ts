import { Migration } from '@mikro-orm/migrations';

/** Failed tries of links' passwords. */
export class LinkPasswords extends Migration {
  override up(): void {
    this.addSql(`
      create table link_password_failures (
        link_id uuid not null,
        client text not null,
        failed_at timestamptz[] not null,
        last_failed_at timestamptz not null,
        primary key (link_id, client)
      );
      create index link_password_failures_last_failed_at_idx on link_password_failures (last_failed_at);
    `);
  }
}
