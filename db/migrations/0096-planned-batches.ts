import { Migration } from '@mikro-orm/migrations';

/** Lets a journal note where a batch ends that ClickHouse gets before PostgreSQL counts it. */
export class PlannedBatches extends Migration {
  override up(): void {
    this.addSql(
      'alter table journals add column planned_segment integer null, add column planned_position bigint null',
    );
  }
}
