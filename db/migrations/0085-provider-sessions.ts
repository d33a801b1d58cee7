import { Migration } from '@mikro-orm/migrations';

/**
 * Whether the identity provider of a session's organization opened it. Sessions of people whom such a provider has named end: nothing
 * tells which of them it opened.
 */
export class ProviderSessions extends Migration {
  override up(): void {
    this.addSql(`
      alter table sessions add column is_by_provider boolean not null default false;
      delete from sessions s using oidc_identities i, oidc_providers p where i.user_id = s.user_id and i.issuer = p.issuer;
    `);
  }
}
