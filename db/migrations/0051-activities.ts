import { Migration } from '@mikro-orm/migrations';

/**
 * Activities of organizations. Rows outlive their subjects and callers, so there are no foreign keys. Each create of a link adds a
 * row: ids grow with time, which keeps both indexes cheap, and old rows are found by their blocks.
 */
export class Activities extends Migration {
  override up(): void {
    this.addSql(`
      create table activities (
        id uuid not null,
        organization_id uuid not null,
        at timestamptz(3) not null,
        action text not null,
        subject_id uuid,
        name text,
        caller text not null,
        user_id uuid,
        key_id uuid,
        count int not null,
        details jsonb,
        primary key (organization_id, id)
      );
      create index activities_subject_id_idx on activities (subject_id, id) where subject_id is not null;
      create index activities_at_idx on activities using brin (at);
    `);
  }
}
