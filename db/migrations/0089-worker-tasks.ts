import { Migration } from '@mikro-orm/migrations';

/**
 * Health comes from what moves: when each worker last began a task of Temporal's, and when the last attempt to send to a webhook was
 * recorded. Deleted webhooks keep no pending deliveries.
 */
export class WorkerTasks extends Migration {
  override up(): void {
    this.addSql(`
      alter table workers add column last_task_at timestamptz(3);
      alter table webhooks add column attempted_at timestamptz(3);
      update deliveries d set status = 'held', due_at = null, is_urgent = false from webhooks w
        where w.id = d.webhook_id and w.deleted_at is not null and d.status = 'pending';
    `);
  }
}
