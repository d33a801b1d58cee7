import { Migration } from '@mikro-orm/migrations';

/**
 * Scans that were answered within the call that wanted them wait in `answered_scans` for a batch, which one workflow records.
 */
export class ScanBatches extends Migration {
  override up(): void {
    this.addSql(`
      create table answered_scans (
        id bigserial primary key,
        subject_id uuid not null,
        organization_id uuid not null
      );
      create table scan_batches (
        id uuid primary key,
        created_at timestamptz(3) not null default now(),
        recorded_at timestamptz(3),
        subject_ids uuid[] not null,
        link_ids uuid[] not null
      );
      create index scan_batches_created_at_idx on scan_batches (created_at);
      create index scan_batches_open_idx on scan_batches (created_at) where recorded_at is null;
    `);
  }
}
