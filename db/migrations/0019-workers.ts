import { Migration } from '@mikro-orm/migrations';

/** Worker processes, each of which writes down every few seconds that it lives (1.10). */
export class Workers extends Migration {
  override up(): void {
    this.addSql(`
      create table workers (
        id uuid not null,
        host text not null,
        pid int not null,
        version text not null,
        started_at timestamptz(3) not null default now(),
        heard_at timestamptz(3) not null default now(),
        takes_tasks boolean not null,
        disk_free_bytes bigint,
        disk_bytes bigint,
        primary key (id)
      );
    `);
  }
}
