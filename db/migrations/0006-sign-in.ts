import { Migration } from '@mikro-orm/migrations';

/** Failed sign-ins, and the end of sessions that ran out. */
export class SignIn extends Migration {
  override up(): void {
    this.addSql(`
      create table sign_in_failures (
        id uuid not null,
        account bytea not null,
        client text not null,
        failed_at timestamptz(3) not null,
        primary key (id)
      );
      create index sign_in_failures_account_idx on sign_in_failures (account, failed_at);
      create index sign_in_failures_failed_at_idx on sign_in_failures (failed_at);
      create index sessions_expires_at_idx on sessions (expires_at);
    `);
  }
}
