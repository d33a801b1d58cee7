import { Migration } from '@mikro-orm/migrations';

/** Which end of each link `link.expired` has told of. Ends before this migration count as told. */
export class ReportedExpiries extends Migration {
  override up(): void {
    this.addSql(`
      alter table short_links add column reported_expiry timestamptz(3);
      update short_links set reported_expiry = expires_at where expires_at <= now();
      create index short_links_expiry_idx on short_links (expires_at)
        where deleted_at is null and expires_at is not null and reported_expiry is distinct from expires_at;
    `);
  }
}
