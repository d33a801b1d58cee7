import { Migration } from '@mikro-orm/migrations';

/** The first schema: tenants, keys, links, events, outbox, verdicts, journals and clicks. */
export class Spine extends Migration {
  override up(): void {
    this.addSql(`
      create table clicks (
        id uuid not null,
        clicked_at timestamptz(3) not null,
        organization_id uuid not null,
        link_id uuid not null,
        domain_id uuid not null,
        folder_id uuid not null,
        tag_ids uuid[] not null,
        country text,
        region text,
        city text,
        continent text,
        lang text,
        device text not null,
        browser text,
        os text,
        referer text,
        utm_source text,
        utm_medium text,
        utm_campaign text,
        utm_term text,
        utm_content text,
        is_qr_code boolean not null,
        destination text not null,
        visitor bytea not null
      ) partition by range (clicked_at);

      create table events (
        id uuid not null,
        organization_id uuid not null,
        type text not null,
        link_id uuid,
        body text not null,
        created_at timestamptz(3) not null default now(),
        primary key (id)
      );
      create index events_organization_id_idx on events (organization_id, created_at);

      create table journals (
        id uuid not null,
        segment int not null default 1,
        position bigint not null default 0,
        ingested bigint not null default 0,
        rejected bigint not null default 0,
        dropped bigint not null default 0,
        opened_at timestamptz(3) not null default now(),
        ingested_at timestamptz(3) not null default now(),
        finished_at timestamptz(3),
        primary key (id)
      );

      create table link_caps (
        link_id uuid not null,
        granted bigint not null default 0,
        primary key (link_id)
      );

      create table link_counters (
        link_id uuid not null,
        clicks bigint not null default 0,
        primary key (link_id)
      );

      create table organizations (
        id uuid not null,
        name text not null,
        plan text not null,
        suspended_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      alter table organizations add constraint organizations_plan_check check (plan in ('free', 'premium'));

      create table folders (
        id uuid not null,
        organization_id uuid not null,
        name text not null,
        name_key text not null,
        color text not null,
        is_default boolean not null default false,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create index folders_organization_id_idx on folders (organization_id);
      create unique index folders_name_key on folders (organization_id, name_key) where deleted_at is null;
      create unique index folders_default_key on folders (organization_id) where is_default and deleted_at is null;

      create table files (
        id uuid not null,
        organization_id uuid not null,
        kind text not null,
        name text not null,
        key text not null,
        mime text not null,
        size int not null,
        created_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create index files_organization_id_idx on files (organization_id);
      alter table files add constraint files_key_key unique (key);
      alter table files add constraint files_kind_check check (kind in ('meta-tag', 'qr-code'));

      create table outbox (
        id bigserial primary key,
        kind text not null,
        subject_id uuid not null,
        generation int not null default 1,
        attempts int not null default 0,
        created_at timestamptz(3) not null default now(),
        due_at timestamptz(3) not null default now(),
        parked_at timestamptz(3),
        last_error text
      );
      create index outbox_due_idx on outbox (kind, due_at) where parked_at is null;
      alter table outbox add constraint outbox_subject_key unique (kind, subject_id);

      create table qr_codes (
        id uuid not null,
        organization_id uuid not null,
        options jsonb not null,
        image_id uuid,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        primary key (id)
      );
      create index qr_codes_organization_id_idx on qr_codes (organization_id);
      create index qr_codes_image_id_idx on qr_codes (image_id);

      create table domains (
        id uuid not null,
        organization_id uuid,
        domain text not null,
        is_active boolean not null default true,
        is_verified boolean not null default false,
        is_primary boolean not null default false,
        txt_record text not null,
        last_checked_at timestamptz(3),
        qr_code_id uuid,
        fallback_url text,
        apple_app_site_association jsonb,
        android_asset_links jsonb,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create index domains_organization_id_idx on domains (organization_id);
      create index domains_qr_code_id_idx on domains (qr_code_id);
      create unique index domains_verified_key on domains (domain) where is_verified and deleted_at is null;
      create unique index domains_name_key on domains (organization_id, domain) where deleted_at is null;
      create unique index domains_primary_key on domains (organization_id) where is_primary and deleted_at is null;

      create table tags (
        id uuid not null,
        organization_id uuid not null,
        name text not null,
        name_key text not null,
        color text not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create index tags_organization_id_idx on tags (organization_id);
      create unique index tags_name_key on tags (organization_id, name_key) where deleted_at is null;

      create table threat_verdicts (
        url_hash bytea not null,
        url text not null,
        threat_types text[],
        requested_at timestamptz(3) not null default now(),
        scanned_at timestamptz(3),
        expires_at timestamptz(3),
        due_at timestamptz(3),
        primary key (url_hash)
      );
      create index threat_verdicts_due_idx on threat_verdicts (due_at) where due_at is not null;
      create index threat_verdicts_requested_at_idx on threat_verdicts (requested_at)
        where due_at is not null and scanned_at is null;

      create table users (
        id uuid not null,
        type text not null,
        email text,
        name text not null,
        password_hash text,
        is_staff boolean not null default false,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create unique index users_email_key on users (email) where deleted_at is null;
      alter table users add constraint users_type_check check (type in ('human', 'bot'));

      create table short_links (
        id uuid not null,
        organization_id uuid not null,
        domain_id uuid not null,
        folder_id uuid not null,
        qr_code_id uuid,
        created_by uuid,
        slug text not null,
        external_id text,
        title text,
        is_active boolean not null default true,
        expires_at timestamptz(3),
        expired_url text,
        max_clicks bigint,
        password_hash text,
        cloaking boolean not null default false,
        forward_query boolean not null default false,
        utm_source text,
        utm_medium text,
        utm_campaign text,
        utm_term text,
        utm_content text,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create index short_links_folder_id_idx on short_links (folder_id);
      create index short_links_qr_code_id_idx on short_links (qr_code_id);
      create index short_links_created_by_idx on short_links (created_by);
      create index short_links_organization_id_idx on short_links (organization_id, created_at, id) where deleted_at is null;
      create unique index short_links_slug_key on short_links (domain_id, slug) where deleted_at is null;
      create unique index short_links_external_id_key on short_links (organization_id, external_id) where deleted_at is null and external_id is not null;

      create table rules (
        id uuid not null,
        link_id uuid not null,
        priority double precision not null,
        position int not null,
        countries text[],
        languages text[],
        os_types text[],
        primary key (id)
      );
      create index rules_link_id_idx on rules (link_id);

      create table meta_tags (
        link_id uuid not null,
        title text,
        description text,
        image_id uuid,
        primary key (link_id)
      );
      create index meta_tags_image_id_idx on meta_tags (image_id);

      create table link_tags (
        link_id uuid not null,
        tag_id uuid not null,
        position int not null,
        primary key (link_id, tag_id)
      );
      create index link_tags_tag_id_idx on link_tags (tag_id);

      create table destinations (
        id uuid not null,
        link_id uuid not null,
        rule_id uuid,
        type text not null,
        value text not null,
        url_hash bytea,
        enable_deep_linking boolean not null default false,
        ios_deep_link text,
        android_deep_link text,
        primary key (id)
      );
      create index destinations_link_id_idx on destinations (link_id);
      create index destinations_url_hash_idx on destinations (url_hash) where url_hash is not null;
      create unique index destinations_main_key on destinations (link_id) where rule_id is null;
      create unique index destinations_rule_key on destinations (rule_id) where rule_id is not null;
      alter table destinations add constraint destinations_type_check check (type in ('link', 'mail', 'phone'));

      create table sessions (
        id uuid not null,
        token_hash bytea not null,
        user_id uuid not null,
        organization_id uuid not null,
        created_at timestamptz(3) not null default now(),
        last_seen_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) not null,
        primary key (id)
      );
      alter table sessions add constraint sessions_token_hash_key unique (token_hash);
      create index sessions_user_id_idx on sessions (user_id);
      create index sessions_organization_id_idx on sessions (organization_id);

      create table memberships (
        organization_id uuid not null,
        user_id uuid not null,
        role text not null,
        created_at timestamptz(3) not null default now(),
        primary key (organization_id, user_id)
      );
      create index memberships_user_id_idx on memberships (user_id);
      alter table memberships add constraint memberships_role_check check (role in ('owner', 'admin', 'member'));

      create table api_keys (
        id uuid not null,
        organization_id uuid not null,
        user_id uuid not null,
        type text not null,
        name text not null,
        permissions jsonb not null,
        key_hash bytea not null,
        last4 text not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        last_used_at timestamptz(3),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create index api_keys_organization_id_idx on api_keys (organization_id);
      create index api_keys_user_id_idx on api_keys (user_id);
      alter table api_keys add constraint api_keys_key_hash_key unique (key_hash);
      create unique index api_keys_user_key on api_keys (organization_id, user_id) where type = 'user' and deleted_at is null;
      create unique index api_keys_bot_key on api_keys (organization_id) where type = 'bot' and deleted_at is null;
      alter table api_keys add constraint api_keys_type_check check (type in ('user', 'bot'));

      create table clicks_default partition of clicks default;
      create index clicks_link_id_idx on clicks (link_id, clicked_at);
      create index clicks_organization_id_idx on clicks (organization_id, clicked_at);
      create index clicks_clicked_at_idx on clicks using brin (clicked_at);

      alter table folders add constraint folders_organization_id_foreign foreign key (organization_id) references organizations (id);
      alter table files add constraint files_organization_id_foreign foreign key (organization_id) references organizations (id);
      alter table qr_codes add constraint qr_codes_organization_id_foreign foreign key (organization_id) references organizations (id);
      alter table qr_codes add constraint qr_codes_image_id_foreign foreign key (image_id) references files (id) on delete no action;
      alter table domains add constraint domains_organization_id_foreign foreign key (organization_id) references organizations (id) on delete no action;
      alter table domains add constraint domains_qr_code_id_foreign foreign key (qr_code_id) references qr_codes (id) on delete no action;
      alter table tags add constraint tags_organization_id_foreign foreign key (organization_id) references organizations (id);
      alter table short_links add constraint short_links_organization_id_foreign foreign key (organization_id) references organizations (id);
      alter table short_links add constraint short_links_domain_id_foreign foreign key (domain_id) references domains (id);
      alter table short_links add constraint short_links_folder_id_foreign foreign key (folder_id) references folders (id);
      alter table short_links add constraint short_links_qr_code_id_foreign foreign key (qr_code_id) references qr_codes (id) on delete no action;
      alter table short_links add constraint short_links_created_by_foreign foreign key (created_by) references users (id) on delete no action;
      alter table rules add constraint rules_link_id_foreign foreign key (link_id) references short_links (id);
      alter table meta_tags add constraint meta_tags_link_id_foreign foreign key (link_id) references short_links (id) on update cascade on delete cascade;
      alter table meta_tags add constraint meta_tags_image_id_foreign foreign key (image_id) references files (id) on delete no action;
      alter table link_tags add constraint link_tags_link_id_foreign foreign key (link_id) references short_links (id) on update cascade on delete cascade;
      alter table link_tags add constraint link_tags_tag_id_foreign foreign key (tag_id) references tags (id) on update cascade on delete cascade;
      alter table destinations add constraint destinations_link_id_foreign foreign key (link_id) references short_links (id);
      alter table destinations add constraint destinations_rule_id_foreign foreign key (rule_id) references rules (id) on delete cascade;
      alter table sessions add constraint sessions_user_id_foreign foreign key (user_id) references users (id);
      alter table sessions add constraint sessions_organization_id_foreign foreign key (organization_id) references organizations (id);
      alter table memberships add constraint memberships_organization_id_foreign foreign key (organization_id) references organizations (id) on update cascade on delete cascade;
      alter table memberships add constraint memberships_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade;
      alter table api_keys add constraint api_keys_organization_id_foreign foreign key (organization_id) references organizations (id);
      alter table api_keys add constraint api_keys_user_id_foreign foreign key (user_id) references users (id);
    `);
  }
}
