import { Migration } from '@mikro-orm/migrations';

/** Invitations of people to organizations by mail. */
export class Invitations extends Migration {
  override up(): void {
    this.addSql(`
      create table invitations (
        id uuid not null,
        organization_id uuid not null constraint invitations_organization_id_foreign references organizations (id),
        email text not null,
        role text not null constraint invitations_role_check check (role in ('owner', 'admin', 'member')),
        invited_by_id uuid constraint invitations_invited_by_id_foreign references users (id) on delete set null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        mail_wanted_at timestamptz(3) not null,
        mailed_at timestamptz(3),
        ended_at timestamptz(3),
        outcome text constraint invitations_outcome_check check (outcome in ('accepted', 'revoked', 'expired')),
        primary key (id)
      );
      create index invitations_organization_id_idx on invitations (organization_id);
      create index invitations_invited_by_idx on invitations (invited_by_id);
      create index invitations_expires_at_idx on invitations (expires_at);
      create unique index invitations_pending_key on invitations (organization_id, email) where ended_at is null;
    `);
  }
}
