import { Migration } from '@mikro-orm/migrations';

/**
 * Whose scans wait, and for whom somebody waits: lane 0 is before lane 1, and in each lane organizations take turns. And how many
 * scans of an organization were begun on a day (UTC).
 */
export class ScanShares extends Migration {
  override up(): void {
    this.addSql(`
      alter table outbox add column lane smallint not null default 0,
        add column organization_id uuid not null default '00000000-0000-0000-0000-000000000000';
      create index outbox_scans_idx on outbox (lane, organization_id, due_at, id)
        where kind = 'threat-scan' and parked_at is null;
      alter table threat_verdicts add column lane smallint not null default 0,
        add column organization_id uuid not null default '00000000-0000-0000-0000-000000000000';
      create table scan_days (
        organization_id uuid not null,
        day date not null,
        scans int not null,
        is_spent boolean not null,
        primary key (organization_id, day)
      );
    `);
  }
}
