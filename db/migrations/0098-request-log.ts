import { Migration } from '@mikro-orm/migrations';

/** Adds the log of calls. It has two indexes and no foreign key: its rows are many, and go after some days. */
export class RequestLog extends Migration {
  override up(): void {
    this.addSql(`
      create table request_log (
        organization_id uuid not null,
        id uuid not null,
        at timestamptz(3) not null,
        method text not null,
        route text null,
        path text not null,
        query text null,
        status smallint not null,
        code text null,
        user_id uuid not null,
        key_id uuid null,
        latency_ms real not null,
        request_type text null,
        request_bytes int null,
        request_body text null,
        is_request_cut boolean not null,
        answer_type text null,
        answer_bytes int null,
        answer_body text null,
        is_answer_cut boolean not null,
        primary key (organization_id, id)
      );
      create index request_log_at_idx on request_log using brin (at);
    `);
  }
}
