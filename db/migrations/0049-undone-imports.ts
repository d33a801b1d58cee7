import { Migration } from '@mikro-orm/migrations';

/** Imports whose links are removed again, and how far their undo has come. */
export class UndoneImports extends Migration {
  override up(): void {
    this.addSql(`
      alter table imports drop constraint imports_state_check;
      alter table imports add constraint imports_state_check
        check (state in ('pending', 'running', 'completed', 'failed', 'cancelled', 'undoing', 'undone'));
      alter table imports
        add column removed int not null default 0,
        add column kept int not null default 0,
        add column undo_left int,
        add column undo_row int not null default 0,
        add column undo_includes_changed boolean not null default false,
        add column undone_at timestamptz(3);
    `);
  }
}
