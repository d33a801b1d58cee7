import { Migration } from '@mikro-orm/migrations';

/** What the last check of a domain's DNS records found. */
export class DomainDns extends Migration {
  override up(): void {
    this.addSql(`
      alter table domains add column dns jsonb;
    `);
  }
}
