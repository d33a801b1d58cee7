import { Migration } from '@mikro-orm/migrations';

/** Organizations that staff look at, each by one session for an hour at most. */
export class StaffViews extends Migration {
  override up(): void {
    this.addSql(`
      create table staff_views (
        id uuid not null,
        session_id uuid constraint staff_views_session_id_foreign references sessions (id) on delete set null,
        user_id uuid not null,
        organization_id uuid not null,
        reason text not null,
        began_at timestamptz(3) not null,
        until timestamptz(3) not null,
        primary key (id)
      );
      create unique index staff_views_session_key on staff_views (session_id);
    `);
  }
}
