import { Migration } from '@mikro-orm/migrations';

/**
 * Answered scans wait in a row for each statement that has answered them, no longer in a row for each scan. What a process of an
 * earlier version writes to `answered_scans` goes there too.
 */
export class UnrecordedScans extends Migration {
  override up(): void {
    this.addSql(`
      create table unrecorded_scans (
        id bigserial primary key,
        subject_ids uuid[] not null,
        organization_ids uuid[] not null
      );
      create function keep_answered_scan() returns trigger language plpgsql as $$
        begin
          insert into unrecorded_scans (subject_ids, organization_ids) values (array[new.subject_id], array[new.organization_id]);
          return null;
        end
      $$;
      create trigger keep_answered_scan before insert on answered_scans
        for each row execute function keep_answered_scan();
      with moved as (delete from answered_scans returning id, subject_id, organization_id)
      insert into unrecorded_scans (subject_ids, organization_ids)
      select array_agg(subject_id order by id), array_agg(organization_id order by id) from moved group by id / 500 order by min(id);
    `);
  }
}
