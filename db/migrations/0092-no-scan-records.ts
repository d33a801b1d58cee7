import { Migration } from '@mikro-orm/migrations';

/** Drops what only processes before 0.1.0 used: scans that were answered without Temporal. */
export class NoScanRecords extends Migration {
  override up(): void {
    this.addSql(`
      drop table if exists answered_scans, unrecorded_scans;
      drop function if exists keep_answered_scan();
    `);
  }
}
