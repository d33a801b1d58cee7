import { Migration } from '@mikro-orm/migrations';

/** What visitors of flagged links see, reports of links by visitors, and destinations that refuse frames. */
export class VisitorsPages extends Migration {
  override up(): void {
    this.addSql(`
      alter table organizations add column threat_policy text not null default 'warn';
      alter table organizations add constraint organizations_threat_policy_check
        check (threat_policy in ('warn', 'pass', 'block'));

      alter table destinations add column frames_refused_by bytea;

      create table link_reports (
        id uuid not null,
        organization_id uuid not null,
        link_id uuid not null,
        reports int not null,
        notes jsonb not null,
        clients text[] not null,
        created_at timestamptz(3) not null default now(),
        reported_at timestamptz(3) not null default now(),
        closed_at timestamptz(3),
        closed_by uuid,
        resolution text,
        handled_at timestamptz(3),
        primary key (id)
      );
      create unique index link_reports_open_key on link_reports (link_id) where closed_at is null;
      create index link_reports_link_id_idx on link_reports (link_id);
      create index link_reports_organization_id_idx on link_reports (organization_id);
      create index link_reports_unhandled_idx on link_reports (reported_at) where handled_at is null;
    `);
  }
}
