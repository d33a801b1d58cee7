import { Migration } from '@mikro-orm/migrations';

/** When each worker last began a task of Temporal's: health comes from what moves. */
export class WorkerTasks extends Migration {
  override up(): void {
    this.addSql('alter table workers add column last_task_at timestamptz(3)');
  }
}
