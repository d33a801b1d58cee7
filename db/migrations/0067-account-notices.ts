import { Migration } from '@mikro-orm/migrations';

/** Mails to people about their account, and the browsers in which they have signed in, so that a new one is noticed. */
export class AccountNotices extends Migration {
  override up(): void {
    this.addSql(`
      create table account_notices (
        id uuid not null,
        user_id uuid not null constraint account_notices_user_id_foreign references users (id),
        kind text not null constraint account_notices_kind_check check (
          kind in ('newDevice', 'passwordChanged', 'secondFactorAdded', 'secondFactorRemoved', 'recoveryCodeUsed')),
        details jsonb not null,
        created_at timestamptz(3) not null,
        mailed_at timestamptz(3),
        primary key (id)
      );
      create index account_notices_user_id_idx on account_notices (user_id);
      create index account_notices_created_at_idx on account_notices (created_at);
      create table known_devices (
        user_id uuid not null constraint known_devices_user_id_foreign references users (id),
        token_hash bytea not null,
        created_at timestamptz(3) not null,
        last_seen_at timestamptz(3) not null,
        primary key (user_id, token_hash)
      );
      create index known_devices_last_seen_at_idx on known_devices (last_seen_at);
    `);
  }
}
