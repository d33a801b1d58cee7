import { Migration } from '@mikro-orm/migrations';

/** Scans are claimed by lane and age; Temporal gives organizations turns. */
export class ScanLanes extends Migration {
  override up(): void {
    this.addSql(`
      drop index outbox_scans_idx;
      drop index outbox_due_idx;
      create index outbox_due_idx on outbox (kind, lane, due_at) where parked_at is null;
    `);
  }
}
