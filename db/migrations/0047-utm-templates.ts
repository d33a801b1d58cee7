import { Migration } from '@mikro-orm/migrations';

/** UTM values under a name, which people fill links from. */
export class UtmTemplates extends Migration {
  override up(): void {
    this.addSql(`
      create table utm_templates (
        id uuid not null,
        organization_id uuid not null,
        name text not null,
        name_key text not null,
        utm_source text,
        utm_medium text,
        utm_campaign text,
        utm_term text,
        utm_content text,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        primary key (id),
        constraint utm_templates_organization_id_foreign foreign key (organization_id) references organizations (id)
      );
      create unique index utm_templates_name_key on utm_templates (organization_id, name_key);
    `);
  }
}
