import { Migration } from '@mikro-orm/migrations';

/**
 * The monthly tables of clicks are made by functions: an edge that works under a role of its own owns no table, and may call
 * `ensure_click_month` alone, which does as the owner what it is asked for and nothing else.
 */
export class ClickMonths extends Migration {
  override up(): void {
    this.addSql(`
      -- In parts by organization (ADR 13); not a part of clicks yet.
      create function create_click_month(month text) returns void language plpgsql
        set search_path = public, pg_temp as $$
        declare name text := 'clicks_y' || replace(month, '-', 'm');
        begin
          execute format('create table %I (like clicks including defaults) partition by hash (organization_id)', name);
          for part in 0..7 loop
            execute format('create table %I partition of %I for values with (modulus 8, remainder %s)',
              name || '_' || part, name, part);
          end loop;
        end $$;

      -- With indexes such as all have.
      create function attach_click_month(month text) returns void language plpgsql
        set search_path = public, pg_temp as $$
        declare
          start_at timestamp := (month || '-01')::timestamp;
          ends_at timestamp := start_at + interval '1 month';
        begin
          execute format('alter table clicks attach partition %I for values from (%L) to (%L)',
            'clicks_y' || replace(month, '-', 'm'), start_at || '+00', ends_at || '+00');
        end $$;

      -- Makes the table of a month, unless it is there, and moves its clicks out of the default partition. Months further
      -- than ten years away have none: whoever may call this could fill the catalogue with tables otherwise.
      create function ensure_click_month(month text) returns void language plpgsql
        security definer set search_path = public, pg_temp as $$
        declare
          name text := 'clicks_y' || replace(month, '-', 'm');
          start_at timestamptz;
        begin
          if month !~ '^[0-9]{4}-(0[1-9]|1[0-2])$' then raise exception 'no month: %', month using errcode = '22007'; end if;
          start_at := (month || '-01')::timestamp at time zone 'UTC';
          if start_at not between now() - interval '10 years' and now() + interval '10 years' then
            raise exception 'too far away: %', month using errcode = '22008';
          end if;
          -- The number under which edges of the version before make tables by themselves.
          perform pg_advisory_xact_lock(7290411004);
          if to_regclass(name) is not null then return; end if;
          perform create_click_month(month);
          lock table clicks_default in access exclusive mode;
          execute format('with moved as (delete from clicks_default where clicked_at >= $1 and clicked_at < $2 returning *)
            insert into %I select * from moved', name) using start_at, start_at + interval '1 month';
          perform attach_click_month(month);
        end $$;
      revoke execute on function create_click_month, attach_click_month, ensure_click_month from public;
    `);
  }
}
