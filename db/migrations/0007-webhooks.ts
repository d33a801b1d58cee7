import { Migration } from '@mikro-orm/migrations';

/** Webhooks, and who has subscribed to what. */
export class Webhooks extends Migration {
  override up(): void {
    this.addSql(`
      create table webhooks (
        id uuid not null,
        organization_id uuid not null,
        name text,
        url text not null,
        events text[] not null,
        is_active boolean not null default true,
        secret_sealed bytea not null,
        previous_secret_sealed bytea,
        previous_secret_until timestamptz(3),
        consecutive_failures int not null default 0,
        last_failure_at timestamptz(3),
        disabled_at timestamptz(3),
        disabled_reason text,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create index webhooks_organization_id_idx on webhooks (organization_id);
      create unique index webhooks_url_key on webhooks (organization_id, url) where deleted_at is null;
      alter table webhooks add constraint webhooks_organization_id_foreign foreign key (organization_id) references organizations (id);
    `);
  }
}
