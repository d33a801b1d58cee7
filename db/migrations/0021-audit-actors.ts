import { Migration } from '@mikro-orm/migrations';

/**
 * The audit log tells of the CLI too, where nobody is signed in, and of sign-ins and reads, which are counted: one row stands
 * for all of a kind in an hour, found again by `bucket`.
 */
export class AuditActors extends Migration {
  override up(): void {
    this.addSql(`
      alter table audit_log alter column user_id drop not null;
      alter table audit_log add column actor text;
      alter table audit_log add column count int not null default 1;
      alter table audit_log add column last_at timestamptz(3);
      alter table audit_log add column bucket text;
      alter table audit_log add constraint audit_log_bucket_key unique (bucket);
      create index audit_log_user_id_idx on audit_log (user_id);
    `);
  }
}
