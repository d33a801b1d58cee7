import { Migration } from '@mikro-orm/migrations';

/**
 * Who made a call with an Idempotency-Key: its answer is given again to nobody else. Calls from before have no caller, and so
 * their keys are refused until they are forgotten.
 */
export class Callers extends Migration {
  override up(): void {
    this.addSql(`alter table idempotency_keys add column caller text not null default ''`);
  }
}
