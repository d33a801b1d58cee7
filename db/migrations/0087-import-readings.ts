import { Migration } from '@mikro-orm/migrations';

/** How the file of an import was read. Imports of an earlier version have none: they were UTF-8 or UTF-16. */
export class ImportReadings extends Migration {
  override up(): void {
    this.addSql(
      'alter table imports add column encoding text, add column separator text, add column date_orders jsonb',
    );
  }
}
