import { Migration } from '@mikro-orm/migrations';

/** What is known once per database, such as the fingerprint of its secret key. */
export class InstallationTable extends Migration {
  override up(): void {
    this.addSql(`
      create table installation (
        key text not null,
        value jsonb not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        primary key (key)
      );
    `);
  }
}
