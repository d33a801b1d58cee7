import { Migration } from '@mikro-orm/migrations';

/** Second factors of people, and when a session was confirmed last and by a second factor. */
export class SecondFactors extends Migration {
  override up(): void {
    this.addSql(`
      create table totp_factors (
        user_id uuid not null
          constraint totp_factors_user_id_foreign references users (id) on update cascade on delete cascade,
        secret_sealed bytea not null,
        last_step bigint not null,
        created_at timestamptz(3) not null,
        confirmed_at timestamptz(3),
        last_used_at timestamptz(3),
        primary key (user_id)
      );
      create table passkeys (
        id uuid not null,
        user_id uuid not null constraint passkeys_user_id_foreign references users (id),
        credential_id bytea not null,
        public_key bytea not null,
        sign_count bigint not null,
        transports jsonb not null,
        name text not null,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3),
        primary key (id)
      );
      create index passkeys_user_id_idx on passkeys (user_id);
      alter table passkeys add constraint passkeys_credential_id_key unique (credential_id);
      create table recovery_codes (
        user_id uuid not null constraint recovery_codes_user_id_foreign references users (id),
        code_hash bytea not null,
        created_at timestamptz(3) not null,
        primary key (user_id, code_hash)
      );
      create table spent_challenges (
        id_hash bytea not null,
        expires_at timestamptz(3) not null,
        primary key (id_hash)
      );
      create index spent_challenges_expires_at_idx on spent_challenges (expires_at);
      alter table sessions add column confirmed_at timestamptz(3), add column second_factor_at timestamptz(3);
      update sessions set confirmed_at = created_at;
      alter table sessions alter column confirmed_at set not null, alter column confirmed_at set default now();
    `);
  }
}
