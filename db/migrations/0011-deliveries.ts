import { Migration } from '@mikro-orm/migrations';

/**
 * Deliveries of events to webhooks, their attempts, and the queue of events that have not been handed to webhooks yet. A
 * trigger fills the queue, so that no way of writing an event can leave it out (docs/adr/0009).
 */
export class Deliveries extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhooks add column url_key text;
      update webhooks set url_key = url;
      alter table webhooks alter column url_key set not null;
      drop index webhooks_url_key;
      create unique index webhooks_url_key on webhooks (organization_id, url_key) where deleted_at is null;
      alter table webhooks
        add column failed_probes int not null default 0,
        add column next_probe_at timestamptz(3),
        add column looked_at timestamptz(3),
        add column is_pumping boolean not null default false,
        add column told_at timestamptz(3);

      create table event_queue (
        event_id uuid not null,
        primary key (event_id)
      );

      create table deliveries (
        id uuid not null,
        webhook_id uuid not null,
        event_id uuid not null,
        type text not null,
        status text not null default 'pending',
        attempts int not null default 0,
        tries int not null default 0,
        is_urgent boolean not null default false,
        response_code int,
        due_at timestamptz(3),
        claim text,
        created_at timestamptz(3) not null default now(),
        primary key (id),
        constraint deliveries_status_check check (status in ('pending', 'delivered', 'failed', 'held'))
      );
      create unique index deliveries_event_key on deliveries (event_id, webhook_id);
      create index deliveries_webhook_id_idx on deliveries (webhook_id, id);
      create index deliveries_first_idx on deliveries (webhook_id, due_at)
        where status = 'pending' and tries = 0 and not is_urgent;
      create index deliveries_again_idx on deliveries (webhook_id, due_at)
        where status = 'pending' and (tries > 0 or is_urgent);
      create index deliveries_claim_idx on deliveries (webhook_id) where claim is not null;

      create table delivery_attempts (
        delivery_id uuid not null,
        number int not null,
        at timestamptz(3) not null,
        code int,
        duration_ms int not null,
        body text,
        error text,
        primary key (delivery_id, number)
      );

      create table webhook_recoveries (
        webhook_id uuid not null,
        since timestamptz(3) not null,
        until timestamptz(3) not null,
        after_at timestamptz(3) not null,
        after_id uuid not null,
        created_at timestamptz(3) not null default now(),
        primary key (webhook_id)
      );

      -- PostgreSQL 17 has no function of its own for ids that grow with time (RFC 9562, version 7).
      create function new_id() returns uuid language sql volatile as $$
        select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
          placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
          52, 1), 53, 1), 'hex')::uuid
      $$;

      create function queue_events() returns trigger language plpgsql as $$
        begin
          insert into event_queue (event_id)
          select a.id from added a where exists (
            select 1 from webhooks w
            where w.organization_id = a.organization_id and w.deleted_at is null and a.type = any(w.events)
          );
          if found then perform pg_notify('waymark_outbox', ''); end if;
          return null;
        end $$;
      create trigger events_queue after insert on events
        referencing new table as added for each statement execute function queue_events();
    `);
  }
}
