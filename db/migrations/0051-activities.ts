import { Migration } from '@mikro-orm/migrations';

/**
 * Activities of organizations. Rows outlive their subjects and callers, so there are no foreign keys. Each create of a link adds a
 * row whose id is the link's, so that the primary key alone finds it; old rows are found by their blocks. Of links the next ends of an
 * organization are found, too.
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
      create index activities_subject_id_idx on activities (subject_id, id) where subject_id <> id;
      create index activities_at_idx on activities using brin (at);
      create index short_links_ends_idx on short_links (organization_id, expires_at)
        where deleted_at is null and expires_at is not null;
    `);
  }
}
