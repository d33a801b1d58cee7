import { Migration } from '@mikro-orm/migrations';

/** Lets activities and changes of links name the MCP client through which the caller acted. */
export class Clients extends Migration {
  override up(): void {
    this.addSql('alter table activities add column client text null');
    this.addSql('alter table link_changes add column client text null');
  }
}
