import { Migration } from '@mikro-orm/migrations';

/** Sign-in by OpenID Connect: the provider of an organization, and which person an identity at an issuer is. */
export class Oidc extends Migration {
  override up(): void {
    this.addSql(`
      create table oidc_providers (
        organization_id uuid not null
          constraint oidc_providers_organization_id_foreign references organizations (id) on update cascade on delete cascade,
        issuer text not null,
        client_id text not null,
        client_secret_sealed bytea not null,
        email_domain text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organization_id)
      );
      alter table oidc_providers add constraint oidc_providers_email_domain_key unique (email_domain);
      create table oidc_identities (
        issuer text not null,
        subject text not null,
        user_id uuid not null constraint oidc_identities_user_id_foreign references users (id),
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3) not null,
        primary key (issuer, subject)
      );
      create index oidc_identities_user_id_idx on oidc_identities (user_id);
    `);
  }
}
