import { Migration } from '@mikro-orm/migrations';

/** Rate limits and idempotent calls. */
export class Calls extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table rate_windows (
        subject text not null,
        second_at timestamptz(6) not null,
        second_used int not null,
        minute_at timestamptz(6) not null,
        minute_used int not null,
        granted int not null,
        primary key (subject)
      ) with (fillfactor = 50);

      create table idempotency_keys (
        organization_id uuid not null,
        route text not null,
        key text not null,
        fingerprint bytea not null,
        claim uuid not null,
        claimed_until timestamptz(3) not null,
        made jsonb,
        status int,
        answer bytea,
        created_at timestamptz(3) not null default now(),
        primary key (organization_id, route, key)
      );
      create index idempotency_keys_created_at_idx on idempotency_keys (created_at);
    `);
  }
}
