import { Migration } from '@mikro-orm/migrations';

/**
 * The audit log names the kind of its callers, and lines of each organization form a chain of hashes. A line has no position until it
 * is sealed. Callers of earlier lines are told by what wrote them.
 */
export class AuditChains extends Migration {
  override up(): void {
    this.addSql(`
      alter table audit_log
        add column caller text not null default 'member',
        add column key_id uuid,
        add column position int,
        add column salt text,
        add column details_hash text,
        add column hash text;
      alter table audit_log alter column caller drop default;
      update audit_log set caller = case
        when actor is not null then 'operator'
        when action like 'auth.%' or action = 'members.setRole' then 'member'
        else 'staff' end;
      create index audit_log_position_idx on audit_log (organization_id, position);
      create index audit_log_unsealed_idx on audit_log (id) where position is null;
      create table audit_chains (
        id uuid not null,
        length int not null,
        head text not null,
        kept_from int not null,
        kept_after text not null,
        primary key (id)
      );
    `);
  }
}
