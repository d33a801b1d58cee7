import { Migration } from '@mikro-orm/migrations';

/** Links by which people who forgot their password set a new one. */
export class PasswordResets extends Migration {
  override up(): void {
    this.addSql(`
      create table password_resets (
        id uuid not null,
        account bytea not null,
        user_id uuid,
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) not null,
        mailed_at timestamptz(3),
        primary key (id),
        constraint password_resets_user_id_foreign foreign key (user_id)
          references users (id) on delete set null
      );
      create index password_resets_account_idx on password_resets (account);
      create index password_resets_user_id_idx on password_resets (user_id);
      create index password_resets_expires_at_idx on password_resets (expires_at);
    `);
  }
}
