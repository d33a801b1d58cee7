import { Migration } from '@mikro-orm/migrations';

/** What the staff did. No foreign keys: it outlives whom and what it tells of. */
export class Audit extends Migration {
  override up(): void {
    this.addSql(`
      create table audit_log (
        id uuid not null,
        at timestamptz(3) not null,
        user_id uuid not null,
        action text not null,
        organization_id uuid,
        subject_id uuid,
        details jsonb not null,
        primary key (id)
      );
      create index audit_log_at_idx on audit_log (at);
      create index audit_log_organization_id_idx on audit_log (organization_id, id);
    `);
  }
}
