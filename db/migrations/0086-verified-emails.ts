import { Migration } from '@mikro-orm/migrations';

/**
 * When somebody showed that an account's e-mail is its person's; null: nobody did (ADR 77). Of accounts from before, those are not verified
 * that an invitation made whose link was not mailed, unless a provider or a mailed link has named the person since: the operator made
 * the others. The audit log is older than invitations, and keeps a year. Also counts the bytes of stored answers (1.8), without its history.
 */
export class VerifiedEmails extends Migration {
  override up(): void {
    this.addSql(`
      alter table users add column email_verified_at timestamptz(3);
      update users u set email_verified_at = now()
      where u.type = 'human' and u.deleted_at is null and (
        exists (select from oidc_identities i where i.user_id = u.id)
        or exists (select from audit_log a where a.user_id = u.id and a.action = 'auth.reset')
        or not exists (
          select from audit_log a left join invitations i on i.id = a.subject_id
          where a.user_id = u.id and a.action = 'invitation.accepted' and i.mailed_at is null
            -- The invitation that made the account, and not one that its person accepted later.
            and a.at between u.created_at - interval '1 minute' and u.created_at + interval '1 minute'));

      create unlogged table idempotency_bytes (
        organization_id uuid not null,
        hour_at timestamptz(3) not null,
        bytes bigint not null,
        primary key (organization_id, hour_at)
      ) with (fillfactor = 50);
    `);
  }
}
