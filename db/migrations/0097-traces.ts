import { Migration } from '@mikro-orm/migrations';

/** Lets events and rows of the outbox note the trace of the transaction that writes them, by whichever statement. */
export class Traces extends Migration {
  override up(): void {
    const trace = `add column trace text null default nullif(current_setting('waymark.trace', true), '')`;
    this.addSql(`alter table outbox ${trace}`);
    this.addSql(`alter table events ${trace}`);
  }
}
