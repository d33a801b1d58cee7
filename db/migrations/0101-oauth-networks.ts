import { Migration } from '@mikro-orm/migrations';

/** Notes from which network a request or client of the authorization server comes, and lets calls for tokens count apps by their client. */
export class OauthNetworks extends Migration {
  override up(): void {
    this.addSql(`
      alter table oauth_records add column network text null;
      create index connected_apps_client_id_idx on connected_apps (client_id);
    `);
  }
}
