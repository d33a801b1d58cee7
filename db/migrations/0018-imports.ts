import { Migration } from '@mikro-orm/migrations';

/** Files of links that are made by a workflow, row by row (3.10). */
export class Imports extends Migration {
  override up(): void {
    this.addSql(`
      create table imports (
        id uuid not null,
        organization_id uuid not null,
        created_by uuid not null,
        format text not null,
        header text[] not null,
        domain_id uuid,
        folder_id uuid,
        state text not null default 'pending',
        total int not null,
        imported int not null default 0,
        skipped int not null default 0,
        failed int not null default 0,
        created_at timestamptz(3) not null default now(),
        finished_at timestamptz(3),
        due_at timestamptz(3),
        primary key (id)
      );
      alter table imports add constraint imports_state_check check (state in ('pending', 'running', 'completed', 'failed'));
      alter table imports add constraint imports_organization_id_foreign
        foreign key (organization_id) references organizations (id);
      create index imports_organization_id_idx on imports (organization_id);
      create index imports_due_at_idx on imports (due_at) where due_at is not null;
      create index imports_finished_at_idx on imports (finished_at) where finished_at is not null;

      create table import_rows (
        import_id uuid not null,
        row int not null,
        fields json,
        state text,
        short_link_id uuid,
        error text,
        primary key (import_id, row)
      );
      alter table import_rows add constraint import_rows_import_id_foreign foreign key (import_id) references imports (id);
      alter table import_rows add constraint import_rows_state_check check (state in ('imported', 'skipped', 'failed'));
      create index import_rows_state_idx on import_rows (import_id, state, row);
    `);
  }
}
