import { Migration } from '@mikro-orm/migrations';

/** The folders and domains to which an API key is restricted. */
export class KeyReach extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_keys
        add column folder_ids uuid[],
        add column domain_ids uuid[];
    `);
  }
}
