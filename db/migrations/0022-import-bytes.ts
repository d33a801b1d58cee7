import { Migration } from '@mikro-orm/migrations';

/** How large the file of an import was: an organization may import so many bytes a day. */
export class ImportBytes extends Migration {
  override up(): void {
    this.addSql(`
      alter table imports add column bytes int not null default 0;
      create index imports_created_at_idx on imports (organization_id, created_at);
      drop index imports_organization_id_idx;
    `);
  }
}
