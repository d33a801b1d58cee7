import { Migration } from '@mikro-orm/migrations';

/** Imports that a member of their organization ended early. */
export class CancelledImports extends Migration {
  override up(): void {
    this.addSql(`
      alter table imports drop constraint imports_state_check;
      alter table imports add constraint imports_state_check
        check (state in ('pending', 'running', 'completed', 'failed', 'cancelled'));
    `);
  }
}
