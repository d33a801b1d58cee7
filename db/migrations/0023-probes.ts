import { Migration } from '@mikro-orm/migrations';

/**
 * A failing webhook sends nothing but probes, its owner is warned, and one pump at a time sends its deliveries
 * (docs/adr/0016).
 */
export class Probes extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhooks
        drop column failed_probes,
        add column failing_since timestamptz(3),
        add column warned_at timestamptz(3),
        add column last_failure_code int,
        add column last_failure_error text,
        add column last_failure_body text,
        add column pump text,
        add column pump_process int,
        add column next_pump text;

      drop index deliveries_first_idx;
      drop index deliveries_again_idx;
      create index deliveries_due_idx on deliveries (webhook_id, due_at) where status = 'pending' and not is_urgent;
      create index deliveries_urgent_idx on deliveries (webhook_id, due_at) where status = 'pending' and is_urgent;
    `);
  }
}
