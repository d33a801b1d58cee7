import { Migration } from '@mikro-orm/migrations';

/**
 * What a webhook is limited to, adds to its requests and waits for: scope, headers, pause and rate. `event_scopes` has where the link
 * of an event was when the event was written, for organizations with a scoped webhook: the link may move or be deleted before
 * the event is fanned out or recovered.
 */
export class WebhookSettings extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhooks
        add column scope_folder_ids uuid[],
        add column scope_tag_ids uuid[],
        add column scope_domain_ids uuid[],
        add column scope_link_ids uuid[],
        add column header_names text[] not null default '{}',
        add column headers_sealed bytea,
        add column is_paused boolean not null default false,
        add column max_per_second int;
      alter table webhooks add constraint webhooks_max_per_second_check check (max_per_second >= 1 and max_per_second <= 1000);

      create table event_scopes (
        event_id uuid not null,
        folder_id uuid not null,
        domain_id uuid not null,
        tag_ids uuid[] not null,
        primary key (event_id)
      );

      create or replace function queue_events() returns trigger language plpgsql as $$
        begin
          insert into event_queue (event_id)
          select a.id from added a where exists (
            select 1 from webhooks w
            where w.organization_id = a.organization_id and w.deleted_at is null and a.type = any(w.events)
          );
          if found then perform pg_notify('waymark_outbox', ''); end if;
          if exists (
            select 1 from (select distinct organization_id from added where link_id is not null) o
            join webhooks w on w.organization_id = o.organization_id
            where w.deleted_at is null
              and num_nonnulls(w.scope_folder_ids, w.scope_tag_ids, w.scope_domain_ids, w.scope_link_ids) > 0
          ) then
            insert into event_scopes (event_id, folder_id, domain_id, tag_ids)
            select a.id, l.folder_id, l.domain_id, array(select t.tag_id from link_tags t where t.link_id = l.id)
            from added a join short_links l on l.id = a.link_id;
          end if;
          return null;
        end $$;
    `);
  }
}
