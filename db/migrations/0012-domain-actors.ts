import { Migration } from '@mikro-orm/migrations';

/**
 * When a domain is to be checked next, by itself, and how often it failed in a row (docs/adr/0010). Domains that are there
 * already have their first check within a day, spread over it.
 */
export class DomainActors extends Migration {
  override up(): void {
    this.addSql(`
      alter table domains
        add column failed_checks int not null default 0,
        add column next_check_at timestamptz(3),
        add column requeued_at timestamptz(3);
      update domains set next_check_at = now() + random() * interval '1 day'
        where organization_id is not null and deleted_at is null;
      create index domains_next_check_at_idx on domains (next_check_at) where deleted_at is null;
    `);
  }
}
