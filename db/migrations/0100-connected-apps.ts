import { Migration } from '@mikro-orm/migrations';

/** Adds the apps that people have let act for them by MCP, and what the authorization server keeps of them. */
export class ConnectedApps extends Migration {
  override up(): void {
    this.addSql(`
      create table connected_apps (
        id uuid not null,
        organization_id uuid not null,
        user_id uuid not null,
        client_id text not null,
        name text not null,
        redirect_host text not null,
        is_by_provider boolean not null,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        constraint connected_apps_organization_id_foreign foreign key (organization_id) references organizations (id) on delete cascade,
        constraint connected_apps_user_id_foreign foreign key (user_id) references users (id) on delete cascade,
        primary key (id)
      );
      create index connected_apps_organization_id_idx on connected_apps (organization_id);
      create index connected_apps_user_id_idx on connected_apps (user_id);
      create index connected_apps_expires_at_idx on connected_apps (expires_at);
      create table oauth_records (
        kind text not null,
        id_hash text not null,
        app_id uuid null,
        payload_sealed bytea not null,
        consumed_at timestamptz(3) null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        constraint oauth_records_app_id_foreign foreign key (app_id) references connected_apps (id) on delete cascade,
        primary key (kind, id_hash)
      );
      create index oauth_records_app_id_idx on oauth_records (app_id);
      create index oauth_records_expires_at_idx on oauth_records (expires_at);
    `);
  }
}
