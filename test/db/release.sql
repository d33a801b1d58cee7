-- {"migration":"0028-slug-keys","takenAt":"2026-11-23T00:58:29.950Z","key":"wm_live_D2yod9bX36dg680zB3DzWxNr1WM9Y9LE0AjWqWex8px","answers":{"/short-link/01a205e9-5e62-7163-8beb-b8d5778c4631":{"id":"01a205e9-5e62-7163-8beb-b8d5778c4631","organizationId":"01a205e9-5d2c-7082-afd5-4e7f003f14ce","domainId":"01a205e9-5d61-76ce-b504-2cee43576531","domain":{"id":"01a205e9-5d61-76ce-b504-2cee43576531","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"folderId":"01a205e9-5e12-7311-9fa8-9eb7ee9c1f92","slug":"whole","originUrl":"http://localhost:3001/whole","destination":{"type":"link","value":"https://example.com/whole","threatTypes":null,"enableDeepLinking":true,"iosDeepLink":"example://whole","androidDeepLink":null},"destinationId":"01a205e9-5e62-7163-8beb-c941e92d7a00","rules":[{"id":"01a205e9-5e62-7163-8beb-beb93fe3fdac","priority":0,"countries":["DE"],"languages":["de"],"osTypes":["ios"],"destination":{"type":"link","value":"https://example.com/rule","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null}}],"qrCode":{"options":{"width":300},"imageId":null},"qrCodeId":"01a205e9-5e62-7163-8beb-c6ad708130c8","metaTags":{"title":"Preview","description":"Of the link","imageId":"01a205e9-5dfa-7585-9b44-5952ddf4e1dd","image":{"id":"01a205e9-5dfa-7585-9b44-5952ddf4e1dd","key":"meta-tag/01a205e9-5dfa-7585-9b44-5952ddf4e1dd.png"}},"tags":[{"id":"01a205e9-5e61-773c-8641-1178f177ca28","name":"red","color":"#2563EB"},{"id":"01a205e9-5e61-773c-8641-175c98a8294c","name":"blue","color":"#7C3AED"}],"title":"Every field","externalId":"whole-1","isActive":true,"expiresAt":"2099-01-01T00:00:00.000Z","expiredUrl":"https://example.com/expired","maxClicks":1000,"currentClicks":2,"hasPassword":true,"cloaking":false,"forwardQuery":true,"utmSource":"release","utmMedium":null,"utmCampaign":null,"utmTerm":null,"utmContent":null,"createdAt":"2026-11-23T00:58:29.850Z","updatedAt":"2026-11-23T00:58:29.850Z"},"/short-link/list":{"count":6,"data":[{"id":"01a205e9-5e83-712d-892f-7cd6e6bbb6a6","isActive":true,"originUrl":"http://localhost:3001/bulk-4","currentClicks":0,"destination":{"type":"link","value":"https://example.com/bulk/4","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a205e9-5d61-76ce-b504-2cee43576531","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"tags":[],"createdAt":"2026-11-23T00:58:29.890Z","folder":{"id":"01a205e9-5d2c-7082-afd5-572c64370296","name":"Links","color":"#112233"}},{"id":"01a205e9-5e83-712d-892f-70d8e825ef6d","isActive":true,"originUrl":"http://localhost:3001/bulk-3","currentClicks":0,"destination":{"type":"link","value":"https://example.com/bulk/3","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a205e9-5d61-76ce-b504-2cee43576531","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"tags":[],"createdAt":"2026-11-23T00:58:29.890Z","folder":{"id":"01a205e9-5d2c-7082-afd5-572c64370296","name":"Links","color":"#112233"}},{"id":"01a205e9-5e83-712d-892f-64eb40b6d52c","isActive":true,"originUrl":"http://localhost:3001/bulk-2","currentClicks":0,"destination":{"type":"link","value":"https://example.com/bulk/2","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a205e9-5d61-76ce-b504-2cee43576531","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"tags":[],"createdAt":"2026-11-23T00:58:29.890Z","folder":{"id":"01a205e9-5d2c-7082-afd5-572c64370296","name":"Links","color":"#112233"}},{"id":"01a205e9-5e83-712d-892f-5bebc7fa293c","isActive":true,"originUrl":"http://localhost:3001/bulk-1","currentClicks":0,"destination":{"type":"link","value":"https://example.com/bulk/1","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a205e9-5d61-76ce-b504-2cee43576531","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"tags":[],"createdAt":"2026-11-23T00:58:29.890Z","folder":{"id":"01a205e9-5d2c-7082-afd5-572c64370296","name":"Links","color":"#112233"}},{"id":"01a205e9-5e83-712d-892f-4f17927f9f03","isActive":true,"originUrl":"http://localhost:3001/bulk-0","currentClicks":0,"destination":{"type":"link","value":"https://example.com/bulk/0","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a205e9-5d61-76ce-b504-2cee43576531","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"tags":[],"createdAt":"2026-11-23T00:58:29.890Z","folder":{"id":"01a205e9-5d2c-7082-afd5-572c64370296","name":"Links","color":"#112233"}},{"id":"01a205e9-5e62-7163-8beb-b8d5778c4631","isActive":true,"originUrl":"http://localhost:3001/whole","currentClicks":2,"destination":{"type":"link","value":"https://example.com/whole","threatTypes":null,"enableDeepLinking":true,"iosDeepLink":"example://whole","androidDeepLink":null},"domain":{"id":"01a205e9-5d61-76ce-b504-2cee43576531","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"tags":[{"id":"01a205e9-5e61-773c-8641-1178f177ca28","name":"red","color":"#2563EB"},{"id":"01a205e9-5e61-773c-8641-175c98a8294c","name":"blue","color":"#7C3AED"}],"createdAt":"2026-11-23T00:58:29.850Z","folder":{"id":"01a205e9-5e12-7311-9fa8-9eb7ee9c1f92","name":"Autumn","color":"#112233"}}]},"/short-link/import/01a205e9-5ea2-72d8-8a85-63b9274a00b4":{"id":"01a205e9-5ea2-72d8-8a85-63b9274a00b4","state":"pending","total":1,"imported":0,"skipped":0,"failed":0,"createdAt":"2026-11-23T00:58:29.920Z","finishedAt":null},"/stats/overview?groupBy=country":{"data":[{"group":"DE","count":1},{"group":"FR","count":1}],"totalClicks":2},"/stats/clicks":{"data":[{"id":"01a205e9-5ea7-71b2-aced-45f0acd094ab","clickedAt":"2026-11-23T00:58:29.927Z","shortLinkId":"01a205e9-5e62-7163-8beb-b8d5778c4631","domainId":"01a205e9-5d61-76ce-b504-2cee43576531","country":"FR","region":null,"city":null,"continent":null,"lang":null,"device":"mobile","browser":null,"os":null,"referer":null,"utmSource":null,"utmMedium":null,"utmCampaign":null,"utmTerm":null,"utmContent":null,"isQrCode":true,"destination":"https://example.com/"},{"id":"01a205e9-5ea7-71b2-aced-4212f1044ed5","clickedAt":"2026-11-23T00:58:29.927Z","shortLinkId":"01a205e9-5e62-7163-8beb-b8d5778c4631","domainId":"01a205e9-5d61-76ce-b504-2cee43576531","country":"DE","region":null,"city":null,"continent":null,"lang":null,"device":"desktop","browser":"firefox","os":"linux","referer":"example.org","utmSource":"release","utmMedium":null,"utmCampaign":null,"utmTerm":null,"utmContent":null,"isQrCode":false,"destination":"https://example.com/"}],"nextCursor":null},"/folder/list":{"count":2,"data":[{"id":"01a205e9-5d2c-7082-afd5-572c64370296","organizationId":"01a205e9-5d2c-7082-afd5-4e7f003f14ce","name":"Links","color":"#112233","isDefault":true,"createdAt":"2026-11-23T00:58:29.560Z","updatedAt":"2026-11-23T00:58:29.560Z"},{"id":"01a205e9-5e12-7311-9fa8-9eb7ee9c1f92","organizationId":"01a205e9-5d2c-7082-afd5-4e7f003f14ce","name":"Autumn","color":"#112233","isDefault":false,"createdAt":"2026-11-23T00:58:29.772Z","updatedAt":"2026-11-23T00:58:29.772Z"}]},"/tag/list":{"count":2,"data":[{"id":"01a205e9-5e61-773c-8641-175c98a8294c","organizationId":"01a205e9-5d2c-7082-afd5-4e7f003f14ce","name":"blue","color":"#7C3AED","createdAt":"2026-11-23T00:58:29.851Z","updatedAt":"2026-11-23T00:58:29.851Z"},{"id":"01a205e9-5e61-773c-8641-1178f177ca28","organizationId":"01a205e9-5d2c-7082-afd5-4e7f003f14ce","name":"red","color":"#2563EB","createdAt":"2026-11-23T00:58:29.851Z","updatedAt":"2026-11-23T00:58:29.851Z"}]},"/domain/01a205e9-5e24-72db-8f1a-e9d759a80792":{"id":"01a205e9-5e24-72db-8f1a-e9d759a80792","organizationId":"01a205e9-5d2c-7082-afd5-4e7f003f14ce","domain":"go.example.com","isActive":true,"isVerified":false,"isPrimary":true,"txtRecord":"waymark-verify=3a2b60a64995a8f6a4489f115062adb6b0b91836","lastCheckedAt":null,"qrCodeId":"01a205e9-5e23-7764-819e-686295977c27","qrCode":{"options":{"type":"svg","width":300,"height":300,"margin":4,"dotsOptions":{"type":"square","color":"#000000"},"cornersSquareOptions":{"type":"square","color":"#000000"},"cornersDotOptions":{"type":"square","color":"#000000"},"backgroundOptions":{"color":"#FFFFFF"}},"imageId":null},"fallbackUrl":null,"appleAppSiteAssociation":null,"androidAssetLinks":null,"createdAt":"2026-11-23T00:58:29.794Z","updatedAt":"2026-11-23T00:58:29.794Z"},"/webhook/01a205e9-5e37-74be-a406-a2cdcff29205":{"id":"01a205e9-5e37-74be-a406-a2cdcff29205","organizationId":"01a205e9-5d2c-7082-afd5-4e7f003f14ce","name":null,"url":"https://hooks.example.com/waymark","events":["link.created","link.clicked"],"isActive":true,"consecutiveFailures":0,"lastFailureAt":null,"disabledAt":null,"disabledReason":null,"createdAt":"2026-11-23T00:58:29.813Z","updatedAt":"2026-11-23T00:58:29.813Z"},"/files/list":{"count":1,"data":[{"id":"01a205e9-5dfa-7585-9b44-5952ddf4e1dd","createdAt":"2026-11-23T00:58:29.752Z","name":"picture.png","organizationId":"01a205e9-5d2c-7082-afd5-4e7f003f14ce","key":"meta-tag/01a205e9-5dfa-7585-9b44-5952ddf4e1dd.png","mime":"image/png","size":109,"url":"http://localhost:3000/files/public/e044b54458f643d19b653f35c950ceb7"}]}}}
-- Made by npm run release-dump (docs/release.md); changed by nothing else.
create table "migrations" ("id" serial primary key, "name" varchar(255) not null, "executed_at" timestamptz(6) not null default current_timestamp(6));
set names 'utf8';
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
set names 'utf8';
create table installation (
        key text not null,
        value jsonb not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        primary key (key)
      );
set names 'utf8';
create unlogged table rate_windows (
        subject text not null,
        second_at timestamptz(6) not null,
        second_used int not null,
        minute_at timestamptz(6) not null,
        minute_used int not null,
        granted int not null,
        primary key (subject)
      ) with (fillfactor = 50);

      create table idempotency_keys (
        organization_id uuid not null,
        route text not null,
        key text not null,
        fingerprint bytea not null,
        claim uuid not null,
        claimed_until timestamptz(3) not null,
        made jsonb,
        status int,
        answer bytea,
        created_at timestamptz(3) not null default now(),
        primary key (organization_id, route, key)
      );
      create index idempotency_keys_created_at_idx on idempotency_keys (created_at);
set names 'utf8';
create table click_days (
        organization_id uuid not null,
        day date not null,
        quarters int[] not null,
        primary key (organization_id, day)
      ) with (fillfactor = 80);

      create table click_rolls (
        organization_id uuid not null,
        day date not null,
        quarters int not null,
        clicks int not null,
        unrolled int not null,
        primary key (organization_id, day)
      );

      create table click_values (
        organization_id uuid not null,
        dimension smallint not null,
        day date not null,
        groups text[] not null,
        counts int[] not null,
        primary key (organization_id, dimension, day)
      );

      create table hidden_links (
        organization_id uuid not null,
        link_id uuid not null,
        primary key (organization_id, link_id)
      );

      -- Counts of visitors, and of clicks by time, read nothing but the index.
      drop index clicks_organization_id_idx;
      create index clicks_organization_id_idx on clicks (organization_id, clicked_at) include (visitor, link_id);

      with counted as (
        select organization_id, (clicked_at at time zone 'UTC')::date as day,
          floor(extract(epoch from (clicked_at at time zone 'UTC')::time) / 900)::int as quarter,
          count(*)::int as clicks
        from clicks group by 1, 2, 3
      )
      insert into click_days (organization_id, day, quarters)
      select d.organization_id, d.day, array_agg(coalesce(c.clicks, 0) order by q)
      from (select distinct organization_id, day from counted) d cross join generate_series(0, 95) q
      left join counted c on c.organization_id = d.organization_id and c.day = d.day and c.quarter = q
      group by 1, 2;

      insert into hidden_links (organization_id, link_id)
      select organization_id, id from short_links where deleted_at is not null;
set names 'utf8';
create extension if not exists pg_trgm;
      create extension if not exists btree_gin;
      alter table short_links add column search_text text not null default '';
      create index short_links_search_idx on short_links using gin (organization_id, search_text gin_trgm_ops)
        where deleted_at is null;
set names 'utf8';
create table sign_in_failures (
        id uuid not null,
        account bytea not null,
        client text not null,
        failed_at timestamptz(3) not null,
        primary key (id)
      );
      create index sign_in_failures_account_idx on sign_in_failures (account, failed_at);
      create index sign_in_failures_failed_at_idx on sign_in_failures (failed_at);
      create index sessions_expires_at_idx on sessions (expires_at);
set names 'utf8';
create table webhooks (
        id uuid not null,
        organization_id uuid not null,
        name text,
        url text not null,
        events text[] not null,
        is_active boolean not null default true,
        secret_sealed bytea not null,
        previous_secret_sealed bytea,
        previous_secret_until timestamptz(3),
        consecutive_failures int not null default 0,
        last_failure_at timestamptz(3),
        disabled_at timestamptz(3),
        disabled_reason text,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        deleted_at timestamptz(3),
        primary key (id)
      );
      create index webhooks_organization_id_idx on webhooks (organization_id);
      create unique index webhooks_url_key on webhooks (organization_id, url) where deleted_at is null;
      alter table webhooks add constraint webhooks_organization_id_foreign foreign key (organization_id) references organizations (id);
set names 'utf8';
create table link_password_failures (
        link_id uuid not null,
        client text not null,
        failed_at timestamptz[] not null,
        last_failed_at timestamptz not null,
        primary key (link_id, client)
      );
      create index link_password_failures_last_failed_at_idx on link_password_failures (last_failed_at);
set names 'utf8';
alter table files
        add column url_key text not null default replace(gen_random_uuid()::text, '-', ''),
        add column unused_since timestamptz(3) default now();
      alter table files add constraint files_url_key_key unique (url_key);
      create index files_unused_since_idx on files (unused_since) where deleted_at is null;
      create index files_deleted_at_idx on files (deleted_at) where deleted_at is not null;
set names 'utf8';
drop index short_links_qr_code_id_idx;
      create index short_links_qr_code_id_idx on short_links (qr_code_id) where qr_code_id is not null;

      -- One index where there were two: of all destinations of a link, and that it has one without a rule.
      create unique index destinations_link_key on destinations (link_id, rule_id) nulls not distinct;
      drop index destinations_link_id_idx;
      drop index destinations_main_key;

      create table link_totals (
        organization_id uuid not null,
        shard int not null,
        links bigint not null,
        primary key (organization_id, shard)
      );

      create function count_inserted_links() returns trigger language plpgsql as $$
        begin 
  insert into link_totals as t (organization_id, shard, links)
  select organization_id, pg_backend_pid() % 64, sum(links) from (select organization_id, 1 as links from new_links where deleted_at is null) c
  group by organization_id having sum(links) <> 0 order by organization_id
  on conflict (organization_id, shard) do update set links = t.links + excluded.links; return null; end
      $$;
      create function count_updated_links() returns trigger language plpgsql as $$
        begin 
  insert into link_totals as t (organization_id, shard, links)
  select organization_id, pg_backend_pid() % 64, sum(links) from (select organization_id, 1 as links from new_links where deleted_at is null union all select organization_id, -1 as links from old_links where deleted_at is null) c
  group by organization_id having sum(links) <> 0 order by organization_id
  on conflict (organization_id, shard) do update set links = t.links + excluded.links; return null; end
      $$;
      create function count_deleted_links() returns trigger language plpgsql as $$
        begin 
  insert into link_totals as t (organization_id, shard, links)
  select organization_id, pg_backend_pid() % 64, sum(links) from (select organization_id, -1 as links from old_links where deleted_at is null) c
  group by organization_id having sum(links) <> 0 order by organization_id
  on conflict (organization_id, shard) do update set links = t.links + excluded.links; return null; end
      $$;
      create function count_no_links() returns trigger language plpgsql as $$
        begin truncate link_totals; return null; end
      $$;
      create trigger count_inserted after insert on short_links
        referencing new table as new_links for each statement execute function count_inserted_links();
      create trigger count_updated after update on short_links
        referencing old table as old_links new table as new_links for each statement execute function count_updated_links();
      create trigger count_deleted after delete on short_links
        referencing old table as old_links for each statement execute function count_deleted_links();
      create trigger count_none after truncate on short_links for each statement execute function count_no_links();

      -- The triggers keep others from writing until this is committed.
      insert into link_totals (organization_id, shard, links)
      select organization_id, 0, count(*) from short_links where deleted_at is null group by organization_id;
set names 'utf8';
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
set names 'utf8';
alter table domains
        add column failed_checks int not null default 0,
        add column next_check_at timestamptz(3),
        add column requeued_at timestamptz(3);
      update domains set next_check_at = now() + random() * interval '1 day'
        where organization_id is not null and deleted_at is null;
      create index domains_next_check_at_idx on domains (next_check_at) where deleted_at is null;
set names 'utf8';
create table purges (
        id uuid not null,
        kind text not null,
        organization_id uuid not null,
        links int not null,
        told_to uuid not null,
        deleted_at timestamptz(3) not null,
        due_at timestamptz(3) not null default now(),
        primary key (id)
      );
      alter table purges add constraint purges_kind_check check (kind in ('links', 'domain', 'folder', 'organization'));
      create index purges_due_at_idx on purges (due_at);
      create index purges_organization_id_idx on purges (organization_id);

      alter table hidden_links add column purge_id uuid;
      create index hidden_links_purge_id_idx on hidden_links (purge_id, link_id) where purge_id is not null;

      create temporary table parts on commit drop as
        select id, organization_id, deleted_at, first_value(id) over (partition by organization_id, part order by id) as purge_id
        from (
          select id, organization_id, deleted_at,
            (row_number() over (partition by organization_id order by id) - 1) / 500 as part
          from short_links where deleted_at is not null) gone;
      insert into purges (id, kind, organization_id, links, told_to, deleted_at)
        select purge_id, 'links', organization_id, count(*), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, max(deleted_at)
        from parts group by 1, 3;
      insert into hidden_links (organization_id, link_id, purge_id) select organization_id, id, purge_id from parts
        on conflict (organization_id, link_id) do update set purge_id = excluded.purge_id;
      insert into purges (id, kind, organization_id, links, told_to, deleted_at)
        select id, 'domain', organization_id, 0, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, deleted_at
        from domains where deleted_at is not null and organization_id is not null
        union all
        select id, 'folder', organization_id, 0, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, deleted_at
        from folders where deleted_at is not null;
set names 'utf8';
-- The key of a URL's verdict. Text is UTF-8 in every database of ours, so that the answer never changes.
      create function hash_of_url(url text) returns bytea language sql immutable strict parallel safe
        as $$ select sha256(convert_to(url, 'UTF8')) $$;

      create index short_links_expired_url_idx on short_links (hash_of_url(expired_url))
        where (expired_url is not null and deleted_at is null);
      create index domains_fallback_url_idx on domains (hash_of_url(fallback_url))
        where (fallback_url is not null and deleted_at is null);

      insert into threat_verdicts (url_hash, url, due_at)
      select hash_of_url(url), url, now() from (
        select expired_url as url from short_links where expired_url is not null and deleted_at is null
        union
        select fallback_url from domains where fallback_url is not null and deleted_at is null
      ) urls
      on conflict (url_hash) do nothing;

      create table threat_notices (
        organization_id uuid not null,
        url_hash bytea not null,
        found_at timestamptz(3) not null default now(),
        mail_id uuid,
        primary key (organization_id, url_hash)
      );
      alter table threat_notices add constraint threat_notices_organization_id_foreign
        foreign key (organization_id) references organizations (id) on delete cascade;
set names 'utf8';
create table audit_log (
        id uuid not null,
        at timestamptz(3) not null,
        user_id uuid not null,
        action text not null,
        organization_id uuid,
        subject_id uuid,
        details jsonb not null,
        primary key (id)
      );
      create index audit_log_at_idx on audit_log (at);
      create index audit_log_organization_id_idx on audit_log (organization_id, id);
set names 'utf8';
alter table link_caps add column set_at timestamptz(3);
      alter table journals add column counted_at timestamptz(3);
set names 'utf8';
create table click_week_rolls (
        organization_id uuid not null,
        day date not null,
        clicks int not null,
        unrolled int not null,
        primary key (organization_id, day)
      );

      create table click_week_values (
        organization_id uuid not null,
        dimension smallint not null,
        day date not null,
        groups text[] not null,
        counts int[] not null,
        primary key (organization_id, dimension, day)
      );
set names 'utf8';
create table imports (
        id uuid not null,
        organization_id uuid not null,
        created_by uuid not null,
        format text not null,
        header text[] not null,
        domain_id uuid,
        folder_id uuid,
        state text not null default 'pending',
        total int not null,
        imported int not null default 0,
        skipped int not null default 0,
        failed int not null default 0,
        created_at timestamptz(3) not null default now(),
        finished_at timestamptz(3),
        due_at timestamptz(3),
        primary key (id)
      );
      alter table imports add constraint imports_state_check check (state in ('pending', 'running', 'completed', 'failed'));
      alter table imports add constraint imports_organization_id_foreign
        foreign key (organization_id) references organizations (id);
      create index imports_organization_id_idx on imports (organization_id);
      create index imports_due_at_idx on imports (due_at) where due_at is not null;
      create index imports_finished_at_idx on imports (finished_at) where finished_at is not null;

      create table import_rows (
        import_id uuid not null,
        row int not null,
        fields json,
        state text,
        short_link_id uuid,
        error text,
        primary key (import_id, row)
      );
      alter table import_rows add constraint import_rows_import_id_foreign foreign key (import_id) references imports (id);
      alter table import_rows add constraint import_rows_state_check check (state in ('imported', 'skipped', 'failed'));
      create index import_rows_state_idx on import_rows (import_id, state, row);
set names 'utf8';
create table workers (
        id uuid not null,
        host text not null,
        pid int not null,
        version text not null,
        started_at timestamptz(3) not null default now(),
        heard_at timestamptz(3) not null default now(),
        takes_tasks boolean not null,
        disk_free_bytes bigint,
        disk_bytes bigint,
        primary key (id)
      );
set names 'utf8';
alter table idempotency_keys add column caller text not null default '';
set names 'utf8';
alter table audit_log alter column user_id drop not null;
      alter table audit_log add column actor text;
      alter table audit_log add column count int not null default 1;
      alter table audit_log add column last_at timestamptz(3);
      alter table audit_log add column bucket text;
      alter table audit_log add constraint audit_log_bucket_key unique (bucket);
      create index audit_log_user_id_idx on audit_log (user_id);
set names 'utf8';
alter table imports add column bytes int not null default 0;
      create index imports_created_at_idx on imports (organization_id, created_at);
      drop index imports_organization_id_idx;
set names 'utf8';
alter table webhooks
        drop column failed_probes,
        add column failing_since timestamptz(3),
        add column warned_at timestamptz(3),
        add column last_failure_code int,
        add column last_failure_error text,
        add column last_failure_body text,
        add column pump text,
        add column pump_process int,
        add column next_pump text;

      drop index deliveries_first_idx;
      drop index deliveries_again_idx;
      create index deliveries_due_idx on deliveries (webhook_id, due_at) where status = 'pending' and not is_urgent;
      create index deliveries_urgent_idx on deliveries (webhook_id, due_at) where status = 'pending' and is_urgent;
alter table destinations add column deep_link_hashes bytea[];
      create index destinations_deep_link_hashes_idx on destinations using gin (deep_link_hashes) with (fastupdate = off)
        where deep_link_hashes is not null;
set names 'utf8';
set names 'utf8';
create table visitor_keys (
        month text not null,
        key bytea not null,
        created_at timestamptz(3) not null default now(),
        primary key (month)
      );
      alter table organizations add column honours_gpc boolean not null default false;
set names 'utf8';
alter table outbox add column lane smallint not null default 0,
        add column organization_id uuid not null default '00000000-0000-0000-0000-000000000000';
      create index outbox_scans_idx on outbox (lane, organization_id, due_at, id)
        where kind = 'threat-scan' and parked_at is null;
      alter table threat_verdicts add column lane smallint not null default 0,
        add column organization_id uuid not null default '00000000-0000-0000-0000-000000000000';
      create table scan_days (
        organization_id uuid not null,
        day date not null,
        scans int not null,
        is_spent boolean not null,
        primary key (organization_id, day)
      );
set names 'utf8';
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
set names 'utf8';
do $$
      declare
        same text;
      begin
        select string_agg(slugs, '; ') into same from (
          select d.domain || ': ' || string_agg(quote_ident(l.slug) || ' (' || l.id || ')', ', ' order by l.id) as slugs
          from short_links l join domains d on d.id = l.domain_id
          where l.deleted_at is null
          group by d.id, d.domain, replace(l.slug, U&'\FE0F', '')
          having count(*) > 1 limit 20) found;
        if same is not null then
          raise exception 'Some links have slugs that differ by U+FE0F alone, which now counts as the same slug. '
            'Give all but one of each another slug with the version before, then migrate again. %', same;
        end if;
      end $$;
      drop index short_links_slug_key;
      create unique index short_links_slug_key on short_links (domain_id, replace(slug, U&'\FE0F', ''))
        where deleted_at is null;
-- Rows come in the order of their tables: no trigger fires and no foreign key is checked.
set session_replication_role = replica;
insert into api_keys select * from jsonb_populate_recordset(null::api_keys, $rows$[
{"id": "01a205e9-5d39-77b4-9864-0ba00ebd044b", "name": "Test key", "type": "bot", "last4": "x8px", "user_id": "01a205e9-5d2c-7082-afd5-5008af0381b2", "key_hash": "\\x5a105ec626686958583669297819fa05afab9c924a5d5ea1bc6ac4dd7f016901", "created_at": "2026-11-23T00:58:29.562+00:00", "deleted_at": null, "updated_at": "2026-11-23T00:58:29.562+00:00", "permissions": {"files": ["create", "read", "update", "delete"], "stats": ["create", "read", "update", "delete"], "domains": ["create", "read", "update", "delete"], "webhooks": ["create", "read", "update", "delete"], "shortLinks": ["create", "read", "update", "delete"]}, "last_used_at": "2026-11-23T00:58:30.05+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into audit_log select * from jsonb_populate_recordset(null::audit_log, $rows$[
{"at": "2026-11-23T00:58:29.939+00:00", "id": "01a205e9-5eb3-763d-8b57-6694294946bd", "actor": "cli:test", "count": 1, "action": "test", "bucket": null, "details": {"a": [1]}, "last_at": null, "user_id": null, "subject_id": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into click_days select * from jsonb_populate_recordset(null::click_days, $rows$[
{"day": "2026-11-23", "quarters": [2], "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into click_rolls select * from jsonb_populate_recordset(null::click_rolls, $rows$[
{"day": "2024-01-01", "clicks": 2, "quarters": 96, "unrolled": 0, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into click_values select * from jsonb_populate_recordset(null::click_values, $rows$[
{"day": "2024-01-01", "counts": [1, 1], "groups": ["DE", "FR"], "dimension": 1, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into click_week_rolls select * from jsonb_populate_recordset(null::click_week_rolls, $rows$[
{"day": "2024-01-01", "clicks": 2, "unrolled": 0, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into click_week_values select * from jsonb_populate_recordset(null::click_week_values, $rows$[
{"day": "2024-01-01", "counts": [1, 1], "groups": ["DE", "FR"], "dimension": 1, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into clicks select * from jsonb_populate_recordset(null::clicks, $rows$[
{"id": "01a205e9-5ea7-71b2-aced-4212f1044ed5", "os": "linux", "city": null, "lang": null, "device": "desktop", "region": null, "browser": "firefox", "country": "DE", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "referer": "example.org", "tag_ids": [], "visitor": "\\x80b6c6e067554a71b8ce23d915deaa8a", "utm_term": null, "continent": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5e12-7311-9fa8-9eb7ee9c1f92", "clicked_at": "2026-11-23T00:58:29.927+00:00", "is_qr_code": false, "utm_medium": null, "utm_source": "release", "destination": "https://example.com/", "utm_content": null, "utm_campaign": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5ea7-71b2-aced-45f0acd094ab", "os": null, "city": null, "lang": null, "device": "mobile", "region": null, "browser": null, "country": "FR", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "referer": null, "tag_ids": [], "visitor": "\\x0f8c97feb3da4bcd801b35efc80a2378", "utm_term": null, "continent": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5e12-7311-9fa8-9eb7ee9c1f92", "clicked_at": "2026-11-23T00:58:29.927+00:00", "is_qr_code": true, "utm_medium": null, "utm_source": null, "destination": "https://example.com/", "utm_content": null, "utm_campaign": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into deliveries select * from jsonb_populate_recordset(null::deliveries, $rows$[
{"id": "01a205e9-5eb1-7731-9b14-e807facd300d", "type": "link.created", "claim": null, "tries": 0, "due_at": "2026-11-23T00:58:29.937+00:00", "status": "pending", "attempts": 0, "event_id": "01a205e9-5eb1-7731-9b14-ee83c9a85133", "is_urgent": false, "created_at": "2026-11-23T00:58:29.938+00:00", "webhook_id": "01a205e9-5e37-74be-a406-a2cdcff29205", "response_code": null}
]$rows$);
insert into delivery_attempts select * from jsonb_populate_recordset(null::delivery_attempts, $rows$[
{"at": "2026-11-23T00:58:29.939+00:00", "body": "no", "code": 500, "error": null, "number": 1, "delivery_id": "01a205e9-5eb1-7731-9b14-e807facd300d", "duration_ms": 12}
]$rows$);
insert into destinations select * from jsonb_populate_recordset(null::destinations, $rows$[
{"id": "01a205e9-5e62-7163-8beb-c285274a7733", "type": "link", "value": "https://example.com/rule", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "rule_id": "01a205e9-5e62-7163-8beb-beb93fe3fdac", "url_hash": "\\xd3e8b4777bbd08afa33bba06d05d8da03bdc2b3b76182bee1ef7ba84d39f3923", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "enable_deep_linking": false},
{"id": "01a205e9-5e62-7163-8beb-c941e92d7a00", "type": "link", "value": "https://example.com/whole", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "rule_id": null, "url_hash": "\\xa55e054797c372289a3e36c1a9794b1fd934599ff6cc7fb8e4ed8136cfc7c9e5", "ios_deep_link": "example://whole", "deep_link_hashes": null, "android_deep_link": null, "enable_deep_linking": true},
{"id": "01a205e9-5e83-712d-892f-513eeb32721f", "type": "link", "value": "https://example.com/bulk/0", "link_id": "01a205e9-5e83-712d-892f-4f17927f9f03", "rule_id": null, "url_hash": "\\xce3dc11730827c75df3c15a778197bfb2c9f7908b7f6474bf3d6b67318292f06", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "enable_deep_linking": false},
{"id": "01a205e9-5e83-712d-892f-5ddc4e3186a7", "type": "link", "value": "https://example.com/bulk/1", "link_id": "01a205e9-5e83-712d-892f-5bebc7fa293c", "rule_id": null, "url_hash": "\\x90555b9f5946a3bb14aa91f9bf293e7672e4828be817bbf20974a1dcec48271e", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "enable_deep_linking": false},
{"id": "01a205e9-5e83-712d-892f-68f0c2ae28ae", "type": "link", "value": "https://example.com/bulk/2", "link_id": "01a205e9-5e83-712d-892f-64eb40b6d52c", "rule_id": null, "url_hash": "\\xd800f071c711fd76e164d40155f8a86267123df045606ce109195735785b636c", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "enable_deep_linking": false},
{"id": "01a205e9-5e83-712d-892f-75a32d2d31e9", "type": "link", "value": "https://example.com/bulk/3", "link_id": "01a205e9-5e83-712d-892f-70d8e825ef6d", "rule_id": null, "url_hash": "\\x54d42da0cbfead22c61654c72cbbafe85338aac203644caced79c43089c26712", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "enable_deep_linking": false},
{"id": "01a205e9-5e83-712d-892f-82d754bd4bf6", "type": "link", "value": "https://example.com/bulk/4", "link_id": "01a205e9-5e83-712d-892f-7cd6e6bbb6a6", "rule_id": null, "url_hash": "\\x4e3c2a9f5e7c1f4aadaaeb34e08ad398814dc8e430263dc017a5bf3466433522", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "enable_deep_linking": false},
{"id": "01a205e9-5e8b-72d8-a5c3-4f2c80fe0e7a", "type": "link", "value": "https://example.com/gone", "link_id": "01a205e9-5e8b-72d8-a5c3-499415fa130e", "rule_id": null, "url_hash": "\\x6c904d01eaff1a1ee9533ff39cf7a4b1daa761d680c3241f49a3eec53bb4cbc6", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "enable_deep_linking": false}
]$rows$);
insert into domains select * from jsonb_populate_recordset(null::domains, $rows$[
{"id": "01a205e9-5d61-76ce-b504-2cee43576531", "domain": "localhost", "is_active": true, "created_at": "2026-11-23T00:58:29.618+00:00", "deleted_at": null, "is_primary": false, "qr_code_id": null, "txt_record": "", "updated_at": "2026-11-23T00:58:29.618+00:00", "is_verified": true, "requeued_at": null, "fallback_url": null, "failed_checks": 0, "next_check_at": null, "last_checked_at": null, "organization_id": null, "android_asset_links": null, "apple_app_site_association": null},
{"id": "01a205e9-5e24-72db-8f1a-e9d759a80792", "domain": "go.example.com", "is_active": true, "created_at": "2026-11-23T00:58:29.794+00:00", "deleted_at": null, "is_primary": true, "qr_code_id": "01a205e9-5e23-7764-819e-686295977c27", "txt_record": "waymark-verify=3a2b60a64995a8f6a4489f115062adb6b0b91836", "updated_at": "2026-11-23T00:58:29.794+00:00", "is_verified": false, "requeued_at": null, "fallback_url": null, "failed_checks": 0, "next_check_at": "2026-11-23T00:58:29.794+00:00", "last_checked_at": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce", "android_asset_links": null, "apple_app_site_association": null}
]$rows$);
insert into event_queue select * from jsonb_populate_recordset(null::event_queue, $rows$[
{"event_id": "01a205e9-5e63-70d9-9286-6c3b3d34e2d7"},
{"event_id": "01a205e9-5e83-712d-892f-55b3e24644c6"},
{"event_id": "01a205e9-5e83-712d-892f-600fdffd5fb0"},
{"event_id": "01a205e9-5e83-712d-892f-6d21d06361b8"},
{"event_id": "01a205e9-5e83-712d-892f-791ef8a4890c"},
{"event_id": "01a205e9-5e83-712d-892f-8732a7645f1c"},
{"event_id": "01a205e9-5e8b-72d8-a5c3-5296d0581ddc"},
{"event_id": "01a205e9-5ea7-71b2-aced-4212f1044ed5"},
{"event_id": "01a205e9-5ea7-71b2-aced-45f0acd094ab"},
{"event_id": "01a205e9-5eb1-7731-9b14-ee83c9a85133"},
{"event_id": "01a205e9-5eb3-763d-8b57-6694294946bd"}
]$rows$);
insert into events select * from jsonb_populate_recordset(null::events, $rows$[
{"id": "01a205e9-5e63-70d9-9286-6c3b3d34e2d7", "body": "{\"id\":\"01a205e9-5e63-70d9-9286-6c3b3d34e2d7\",\"type\":\"link.created\",\"createdAt\":\"2026-11-23T00:58:29.850Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e62-7163-8beb-b8d5778c4631\",\"slug\":\"whole\",\"shortUrl\":\"http://localhost:3001/whole\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/whole\"},\"createdAt\":\"2026-11-23T00:58:29.850Z\"}}}", "type": "link.created", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "created_at": "2026-11-23T00:58:29.85+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-55b3e24644c6", "body": "{\"id\":\"01a205e9-5e83-712d-892f-55b3e24644c6\",\"type\":\"link.created\",\"createdAt\":\"2026-11-23T00:58:29.890Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e83-712d-892f-4f17927f9f03\",\"slug\":\"bulk-0\",\"shortUrl\":\"http://localhost:3001/bulk-0\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/0\"},\"createdAt\":\"2026-11-23T00:58:29.890Z\"}}}", "type": "link.created", "link_id": "01a205e9-5e83-712d-892f-4f17927f9f03", "created_at": "2026-11-23T00:58:29.89+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-600fdffd5fb0", "body": "{\"id\":\"01a205e9-5e83-712d-892f-600fdffd5fb0\",\"type\":\"link.created\",\"createdAt\":\"2026-11-23T00:58:29.890Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e83-712d-892f-5bebc7fa293c\",\"slug\":\"bulk-1\",\"shortUrl\":\"http://localhost:3001/bulk-1\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/1\"},\"createdAt\":\"2026-11-23T00:58:29.890Z\"}}}", "type": "link.created", "link_id": "01a205e9-5e83-712d-892f-5bebc7fa293c", "created_at": "2026-11-23T00:58:29.89+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-6d21d06361b8", "body": "{\"id\":\"01a205e9-5e83-712d-892f-6d21d06361b8\",\"type\":\"link.created\",\"createdAt\":\"2026-11-23T00:58:29.890Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e83-712d-892f-64eb40b6d52c\",\"slug\":\"bulk-2\",\"shortUrl\":\"http://localhost:3001/bulk-2\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/2\"},\"createdAt\":\"2026-11-23T00:58:29.890Z\"}}}", "type": "link.created", "link_id": "01a205e9-5e83-712d-892f-64eb40b6d52c", "created_at": "2026-11-23T00:58:29.89+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-791ef8a4890c", "body": "{\"id\":\"01a205e9-5e83-712d-892f-791ef8a4890c\",\"type\":\"link.created\",\"createdAt\":\"2026-11-23T00:58:29.890Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e83-712d-892f-70d8e825ef6d\",\"slug\":\"bulk-3\",\"shortUrl\":\"http://localhost:3001/bulk-3\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/3\"},\"createdAt\":\"2026-11-23T00:58:29.890Z\"}}}", "type": "link.created", "link_id": "01a205e9-5e83-712d-892f-70d8e825ef6d", "created_at": "2026-11-23T00:58:29.89+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-8732a7645f1c", "body": "{\"id\":\"01a205e9-5e83-712d-892f-8732a7645f1c\",\"type\":\"link.created\",\"createdAt\":\"2026-11-23T00:58:29.890Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e83-712d-892f-7cd6e6bbb6a6\",\"slug\":\"bulk-4\",\"shortUrl\":\"http://localhost:3001/bulk-4\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/4\"},\"createdAt\":\"2026-11-23T00:58:29.890Z\"}}}", "type": "link.created", "link_id": "01a205e9-5e83-712d-892f-7cd6e6bbb6a6", "created_at": "2026-11-23T00:58:29.89+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e8b-72d8-a5c3-5296d0581ddc", "body": "{\"id\":\"01a205e9-5e8b-72d8-a5c3-5296d0581ddc\",\"type\":\"link.created\",\"createdAt\":\"2026-11-23T00:58:29.899Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e8b-72d8-a5c3-499415fa130e\",\"slug\":\"gone\",\"shortUrl\":\"http://localhost:3001/gone\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/gone\"},\"createdAt\":\"2026-11-23T00:58:29.899Z\"}}}", "type": "link.created", "link_id": "01a205e9-5e8b-72d8-a5c3-499415fa130e", "created_at": "2026-11-23T00:58:29.899+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e95-7037-8f29-cf059f7e2598", "body": "{\"id\":\"01a205e9-5e95-7037-8f29-cf059f7e2598\",\"type\":\"link.deleted\",\"createdAt\":\"2026-11-23T00:58:29.904Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e8b-72d8-a5c3-499415fa130e\",\"slug\":\"gone\",\"deletedAt\":\"2026-11-23T00:58:29.904Z\"}}}", "type": "link.deleted", "link_id": "01a205e9-5e8b-72d8-a5c3-499415fa130e", "created_at": "2026-11-23T00:58:29.904+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5ea7-71b2-aced-4212f1044ed5", "body": "{\"id\":\"01a205e9-5ea7-71b2-aced-4212f1044ed5\",\"type\":\"link.clicked\",\"createdAt\":\"2026-11-23T00:58:29.934Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e62-7163-8beb-b8d5778c4631\",\"slug\":\"whole\"},\"click\":{\"country\":\"DE\",\"city\":null,\"region\":null,\"device\":\"desktop\",\"browser\":\"firefox\",\"os\":\"linux\",\"referer\":\"example.org\",\"utmSource\":\"release\",\"utmMedium\":null,\"utmCampaign\":null,\"isQrCode\":false,\"clickedAt\":\"2026-11-23T00:58:29.927Z\"}}}", "type": "link.clicked", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "created_at": "2026-11-23T00:58:29.934+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5ea7-71b2-aced-45f0acd094ab", "body": "{\"id\":\"01a205e9-5ea7-71b2-aced-45f0acd094ab\",\"type\":\"link.clicked\",\"createdAt\":\"2026-11-23T00:58:29.934Z\",\"data\":{\"link\":{\"id\":\"01a205e9-5e62-7163-8beb-b8d5778c4631\",\"slug\":\"whole\"},\"click\":{\"country\":\"FR\",\"city\":null,\"region\":null,\"device\":\"mobile\",\"browser\":null,\"os\":null,\"referer\":null,\"utmSource\":null,\"utmMedium\":null,\"utmCampaign\":null,\"isQrCode\":true,\"clickedAt\":\"2026-11-23T00:58:29.927Z\"}}}", "type": "link.clicked", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "created_at": "2026-11-23T00:58:29.934+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5eb1-7731-9b14-ee83c9a85133", "body": "{\"id\":\"01a205e9-5eb1-7731-9b14-ee83c9a85133\",\"type\":\"link.created\",\"createdAt\":\"2026-11-23T00:58:29.937Z\",\"data\":{\"text\":\"Grüße\"}}", "type": "link.created", "link_id": null, "created_at": "2026-11-23T00:58:29.938+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into files select * from jsonb_populate_recordset(null::files, $rows$[
{"id": "01a205e9-5dfa-7585-9b44-5952ddf4e1dd", "key": "meta-tag/01a205e9-5dfa-7585-9b44-5952ddf4e1dd.png", "kind": "meta-tag", "mime": "image/png", "name": "picture.png", "size": 109, "url_key": "e044b54458f643d19b653f35c950ceb7", "created_at": "2026-11-23T00:58:29.752+00:00", "deleted_at": null, "unused_since": "2026-11-23T00:58:29.752+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into folders select * from jsonb_populate_recordset(null::folders, $rows$[
{"id": "01a205e9-5d2c-7082-afd5-572c64370296", "name": "Links", "color": "#112233", "name_key": "links", "created_at": "2026-11-23T00:58:29.56+00:00", "deleted_at": null, "is_default": true, "updated_at": "2026-11-23T00:58:29.56+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e12-7311-9fa8-9eb7ee9c1f92", "name": "Autumn", "color": "#112233", "name_key": "autumn", "created_at": "2026-11-23T00:58:29.772+00:00", "deleted_at": null, "is_default": false, "updated_at": "2026-11-23T00:58:29.772+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into hidden_links select * from jsonb_populate_recordset(null::hidden_links, $rows$[
{"link_id": "01a205e9-5e8b-72d8-a5c3-499415fa130e", "purge_id": "01a205e9-5e8b-72d8-a5c3-499415fa130e", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"link_id": "01a205e9-5eb4-777a-892a-6f9398ed3053", "purge_id": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into idempotency_keys select * from jsonb_populate_recordset(null::idempotency_keys, $rows$[
{"key": "release-1", "made": "01a205e9-5e62-7163-8beb-b8d5778c4631", "claim": "06e23a51-83f9-49d2-ac19-417a51103508", "route": "/short-link", "answer": "\\x014607959fb61cc1e6606013ab79deaedfb58965c94ee4c7b2193e053c8032f3e9ed53223828aec109d262eb76f6286247c7eaf297f7d0d32841b1215dfb1ec848a8f52ad2df10a60ed4137baf82e801f384d5934f86b32eef6c2be1b6fed4c26689d998c710922433f303525e1a4d3b47b2b8ba067c785edba20367f7a65ade82ca296629d2c58bfc232e2d847313746b6082cec92e63fc449c617fa0a0cc5192ed8f971379431a1d13d0007be4d6ada63614a904da3b31c38362f52eac8facd7891057e1251f719a4fa5abb5cc8344433a670e22dbc0fe5bde3aa2cd276478dbb40f18fe3cd8cb43b5b9babab003d78bc7f4b83434b314c9600ec24023ffbc2dad41ba28f7c0b2aa85033c11eccd4cd02f07868c468d09aff3f098ba9b5ef57228c9ae1933aac37184960b410ae871720a243c46197b745fb284027acca9c9ac97b9468967267508f68a85db9d6f16000e16c259c4b093be2d0c91c27a82cffe421165583269390e3d1939aea9b9cd54d4ef6a4fbcb85aa57862529a5f40171df0cbbe767e8ec470cb2457f41b4e5bc21349d527c8ff1dce06e6b1731d3f08744d8cde0f512d38a73f68386cbe428a9ef53316d89dcfb7892f1c22320140ca2580f056b08bed35b0184112f3223a9990db5de745dd90a79f831b05f57c644fd773c5737c50353d1c13ff44b31875483f42831799327bc40cab644168bedc81e0d0940c8bf77f2e73bcd6b64f598a0be9c849211216194720f5217555e248e465db8c5905f5162a1d0b762d0259e3c12249dbdbd2e83ea5477650d1abad831fc0aa85c20a474b4770ef34800b19067279b59494917725722f9b70d7f1df534e537aa50941c6d1ef17db2643cfa57788c474ed3d69549c244a48b61c930fb0af949181948db0e36f261f85067248abfe97e2535a73a554a9af23f4ec71c97718b19dc51a6775715d7c15553c2d829efdd6ead5b430f6a7c49472e660b99fced614bc350f4e63eb0cdf9470ba0ec37f2a5b1be8bf1da31ccb54b66d9320b574efc3a999eb44ebed741f4187f8ab67d729262b415859cb06fc87427870e9dbf64ea9c9938647e32f29fba6f1061b730c313e77eaea03fc43afc68a19266fc5a404dc7958aaeed53f6487d5c4a97488b53dc81793afbce5dc4d44115f4ae0517cdac522c9643c0371f8aef0166059128226cd94eb1926ec1ecb89d78db969381a2fd6481ec2b352cbf3f0d63f1c3b0511ff99c404436460ff5d8bbe810784fd34246ff0ebdcf545cb9a080b10e017792eb8eb573070538cf3198900cbae54b87acca2344e7166cd94ef1d99bd5110b4693f90c6e2cc1ff38e8eba1414eb87224b9f1f811beec17a045e918a7a1b2733f3838c012e1beefe22ec79e7d83cbd2f214bac9686a74184c5c2202364c8589d3fc9b00d96bf07a19c7e2adb86d9f3270c69973faf0aadd2932a349633617ece476a6a7b0d81bf7b79ef52744a57109a642d6c046134fc4b10cd34e9cb0fd346cc667d61c9b9716048a9831b33321d14ecd8de18b66dba9bc1f5b2e79c1ec2f448caaa768e2c7fb959824479ff80bb7275af2d1d856c788894c6d1efc2e3a2c6a013b91d78fb670902f5459326710dbd2c77af4b54ae6e8914a3ccc6d710b782e5d5a12028a739231f3b4b38bc395e83da6692a9102990f36db6629547316dd90032cf2442b2f9081884daacf6b87825c420e9d8e271f62669ad746366d6ea697e844a95f898090c352ea1e8d0c057ab79a589e2f0021f555cb9f37d64bf01347230be3d2c6e700254379157f0bba276e8b5a7586f34d960cd792f04f4b1b184ad5f0b16ed54dcb69fa7fe187e44058d1ae51440f0f81730c3075380b24e7e52f3214b027d367c6f8739a2c813ad3798ba2b87dbd7c81796f6e8e85a99832f4364bd089b28cb117570fcb4c63671b998bb540c5637f71cf18b2572609863cc12f30b704c4c3ce296a7005511d367b5f7b874f104c5db227015335ab479db7e9ec70d1d0908bf5a6812431073c349eea0d7bba5888a1ba81ca500cead92f58b00f8ffbc56a0a0b472c039d09bbbaba0ecc60891bddda32f0f20a303e0746506b92d01da1baaaab43c63862de967ec20f0d9456af805c8900b9d12ab318e540385eb2775a1a9b58d0862ad7a76b3fffba997293417f211d52fbc82a00bb0fe1b4170f426363fead27996799a7260e41392be1530ba8befe5eabf24ab7171bb68f665f6c7cf60ff16366c59134f063acf12025357eca6fc64a9cce914c0b36f91a8031b6a341dbe895263526a64e373fb6fd95007707fdbc185878c177820e4031e9160edae102995345e18e5cb3b488ed06aee9c47e5717a3384462ac1807cadae4ca8db5e57681dbec6bb7f15e5de41723b09901fed88739d6ab8c86a3f587fbd176aafea33d51b21850b6740e4495ff2c8b69e134d3a8057f23194a39682c54021ec67fdabc3ed55a147712c29d875566db11a3dfd31d44649fd85559165956766a2167d4ff192d2b5a1e00bbf7dded25c50d89bca6961647ad56dde41b712f6ced163959807138b1880f31ba8909117452d91e7cb9843ea1a90ac69bd073552fff64db397508168236ddbbaab7e4999532092e08fe6e74dc7ae863dcc24fd72f7f53ca5d2067242a1d156f642908c05f47bc5756889a6885a9d892597fc2844670a7137b5a2d54542a16bae8a5f741e3c24f8e9ff746f072b2e727fff86c081bb407af5bcc904217d2cc6245151d33a2c195ccd0592edd278e8684b0c8a1ef77ebd0e364a531f1e8ce0c1a337678f0008348e4bb55abb4ea8fd0738be5eb99159f5842c9bfb31db0d641a87b3833e1e81e2055aa6659b470adadd4f91d5a294729f81135d4386d68dfb707a84cf912a807dda519bd2671c7095c93ab9467dbb3e78cc6d4340927c06e1cf1c824c9e548c2e4706fc655f78892af948ef1df930e9464590f7a7e611e0193c581ab84bb49a4954d08a0f5d14996c01fb7ac1cd387c24486db3babfcb6efa88217891e60aa26b5e", "caller": "key:01a205e9-5d39-77b4-9864-0ba00ebd044b", "status": 201, "created_at": "2026-11-23T00:58:29.826+00:00", "fingerprint": "\\x8e245d1a7341721d93e62823d7dd911db9c30b210756e938a08bee88a9caec62", "claimed_until": "2026-11-23T00:59:29.826+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into import_rows select * from jsonb_populate_recordset(null::import_rows, $rows$[
{"row": 1, "error": null, "state": null, "fields": ["from-file", "https://example.com/file"], "import_id": "01a205e9-5ea2-72d8-8a85-63b9274a00b4", "short_link_id": null}
]$rows$);
insert into imports select * from jsonb_populate_recordset(null::imports, $rows$[
{"id": "01a205e9-5ea2-72d8-8a85-63b9274a00b4", "bytes": 47, "state": "pending", "total": 1, "due_at": "2026-11-23T00:58:59.92+00:00", "failed": 0, "format": "yourls", "header": ["keyword", "url"], "skipped": 0, "imported": 0, "domain_id": null, "folder_id": null, "created_at": "2026-11-23T00:58:29.92+00:00", "created_by": "01a205e9-5d2c-7082-afd5-5008af0381b2", "finished_at": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into installation select * from jsonb_populate_recordset(null::installation, $rows$[
{"key": "test", "value": {"a": 1}, "created_at": "2026-11-23T00:58:29.939+00:00", "updated_at": "2026-11-23T00:58:29.939+00:00"}
]$rows$);
insert into journals select * from jsonb_populate_recordset(null::journals, $rows$[
{"id": "01a205e9-5eb3-763d-8b57-6694294946bd", "dropped": 0, "segment": 1, "ingested": 0, "position": 0, "rejected": 0, "opened_at": "2026-11-23T00:58:29.944+00:00", "counted_at": null, "finished_at": null, "ingested_at": "2026-11-23T00:58:29.944+00:00"},
{"id": "38aee5f9-4bdc-4655-985b-d04e4b406ba1", "dropped": 0, "segment": 1, "ingested": 2, "position": 1, "rejected": 0, "opened_at": "2026-11-23T00:58:29.928+00:00", "counted_at": null, "finished_at": null, "ingested_at": "2026-11-23T00:58:29.929+00:00"}
]$rows$);
insert into link_caps select * from jsonb_populate_recordset(null::link_caps, $rows$[
{"set_at": null, "granted": 0, "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631"}
]$rows$);
insert into link_counters select * from jsonb_populate_recordset(null::link_counters, $rows$[
{"clicks": 2, "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631"}
]$rows$);
insert into link_password_failures select * from jsonb_populate_recordset(null::link_password_failures, $rows$[
{"client": "a client", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "failed_at": ["2026-11-23T00:58:29.939+00:00"], "last_failed_at": "2026-11-23T00:58:29.939+00:00"}
]$rows$);
insert into link_tags select * from jsonb_populate_recordset(null::link_tags, $rows$[
{"tag_id": "01a205e9-5e61-773c-8641-1178f177ca28", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "position": 0},
{"tag_id": "01a205e9-5e61-773c-8641-175c98a8294c", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "position": 1}
]$rows$);
insert into link_totals select * from jsonb_populate_recordset(null::link_totals, $rows$[
{"links": 6, "shard": 20, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into memberships select * from jsonb_populate_recordset(null::memberships, $rows$[
{"role": "member", "user_id": "01a205e9-5d2c-7082-afd5-5008af0381b2", "created_at": "2026-11-23T00:58:29.559+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"role": "owner", "user_id": "01a205e9-5eaf-73c8-800a-92b2acf18ef2", "created_at": "2026-11-23T00:58:29.936+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into meta_tags select * from jsonb_populate_recordset(null::meta_tags, $rows$[
{"title": "Preview", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "image_id": "01a205e9-5dfa-7585-9b44-5952ddf4e1dd", "description": "Of the link"}
]$rows$);
insert into migrations select * from jsonb_populate_recordset(null::migrations, $rows$[
{"id": 1, "name": "0001-spine", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 10, "name": "0010-plans", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 11, "name": "0011-deliveries", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 12, "name": "0012-domain-actors", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 13, "name": "0013-purges", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 14, "name": "0014-threats", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 15, "name": "0015-audit", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 16, "name": "0016-cap-moments", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 17, "name": "0017-weeks", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 18, "name": "0018-imports", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 19, "name": "0019-workers", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 2, "name": "0002-installation", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 20, "name": "0020-callers", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 21, "name": "0021-audit-actors", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 22, "name": "0022-import-bytes", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 23, "name": "0023-probes", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 24, "name": "0024-deep-links", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 25, "name": "0025-visitor-keys", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 26, "name": "0026-scan-shares", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 27, "name": "0027-click-months", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 28, "name": "0028-slug-keys", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 3, "name": "0003-calls", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 4, "name": "0004-rollups", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 5, "name": "0005-search", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 6, "name": "0006-sign-in", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 7, "name": "0007-webhooks", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 8, "name": "0008-link-passwords", "executed_at": "2026-11-23T00:58:29.088301+00:00"},
{"id": 9, "name": "0009-files", "executed_at": "2026-11-23T00:58:29.088301+00:00"}
]$rows$);
insert into organizations select * from jsonb_populate_recordset(null::organizations, $rows$[
{"id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce", "name": "Organization 1", "plan": "premium", "created_at": "2026-11-23T00:58:29.556+00:00", "deleted_at": null, "updated_at": "2026-11-23T00:58:29.556+00:00", "honours_gpc": false, "suspended_at": null}
]$rows$);
insert into outbox select * from jsonb_populate_recordset(null::outbox, $rows$[
{"id": 1, "kind": "domain", "lane": 0, "due_at": "2026-11-23T00:58:29.795+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.795+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e24-72db-8f1a-e9d759a80792", "organization_id": "00000000-0000-0000-0000-000000000000"},
{"id": 10, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-23T00:58:29.89+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.89+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e83-712d-892f-82d754bd4bf6", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": 11, "kind": "threat-scan", "lane": 0, "due_at": "2026-11-23T00:58:29.899+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.899+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e8b-72d8-a5c3-4f2c80fe0e7a", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": 12, "kind": "purge", "lane": 0, "due_at": "2026-11-23T00:58:29.905+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.905+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e8b-72d8-a5c3-499415fa130e", "organization_id": "00000000-0000-0000-0000-000000000000"},
{"id": 13, "kind": "import", "lane": 0, "due_at": "2026-11-23T00:58:29.92+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.92+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5ea2-72d8-8a85-63b9274a00b4", "organization_id": "00000000-0000-0000-0000-000000000000"},
{"id": 2, "kind": "webhook", "lane": 0, "due_at": "2026-11-23T00:58:29.814+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.814+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e37-74be-a406-a2cdcff29205", "organization_id": "00000000-0000-0000-0000-000000000000"},
{"id": 3, "kind": "threat-scan", "lane": 0, "due_at": "2026-11-23T00:58:29.851+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.851+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": 4, "kind": "threat-scan", "lane": 0, "due_at": "2026-11-23T00:58:29.851+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.851+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e62-7163-8beb-c285274a7733", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": 5, "kind": "threat-scan", "lane": 0, "due_at": "2026-11-23T00:58:29.851+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.851+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e62-7163-8beb-c941e92d7a00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": 6, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-23T00:58:29.89+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.89+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e83-712d-892f-513eeb32721f", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": 7, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-23T00:58:29.89+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.89+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e83-712d-892f-5ddc4e3186a7", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": 8, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-23T00:58:29.89+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.89+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e83-712d-892f-68f0c2ae28ae", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": 9, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-23T00:58:29.89+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-23T00:58:29.89+00:00", "generation": 1, "last_error": null, "subject_id": "01a205e9-5e83-712d-892f-75a32d2d31e9", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into purges select * from jsonb_populate_recordset(null::purges, $rows$[
{"id": "01a205e9-5e8b-72d8-a5c3-499415fa130e", "kind": "links", "links": 1, "due_at": "2026-11-23T00:58:59.905+00:00", "told_to": "ffffffff-ffff-ffff-ffff-ffffffffffff", "deleted_at": "2026-11-23T00:58:29.904+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5eb3-763d-8b57-6694294946bd", "kind": "folder", "links": 1, "due_at": "2026-11-23T00:58:29.939+00:00", "told_to": "01a205e9-5eb3-763d-8b57-6694294946bd", "deleted_at": "2026-11-23T00:58:29.939+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into qr_codes select * from jsonb_populate_recordset(null::qr_codes, $rows$[
{"id": "01a205e9-5e23-7764-819e-686295977c27", "options": {"type": "svg", "width": 300, "height": 300, "margin": 4, "dotsOptions": {"type": "square", "color": "#000000"}, "backgroundOptions": {"color": "#FFFFFF"}, "cornersDotOptions": {"type": "square", "color": "#000000"}, "cornersSquareOptions": {"type": "square", "color": "#000000"}}, "image_id": null, "created_at": "2026-11-23T00:58:29.795+00:00", "updated_at": "2026-11-23T00:58:29.795+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e62-7163-8beb-c6ad708130c8", "options": {"width": 300}, "image_id": null, "created_at": "2026-11-23T00:58:29.851+00:00", "updated_at": "2026-11-23T00:58:29.851+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into rate_windows select * from jsonb_populate_recordset(null::rate_windows, $rows$[
{"granted": 1, "subject": "01a205e9-5eb3-763d-8b57-6694294946bd", "minute_at": "2026-11-23T00:58:29.939+00:00", "second_at": "2026-11-23T00:58:29.939+00:00", "minute_used": 1, "second_used": 1},
{"granted": 1, "subject": "key:01a205e9-5d39-77b4-9864-0ba00ebd044b", "minute_at": "2026-11-23T00:58:29.744615+00:00", "second_at": "2026-11-23T00:58:29.744615+00:00", "minute_used": 19, "second_used": 19}
]$rows$);
insert into rules select * from jsonb_populate_recordset(null::rules, $rows$[
{"id": "01a205e9-5e62-7163-8beb-beb93fe3fdac", "link_id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "os_types": ["ios"], "position": 0, "priority": 0, "countries": ["DE"], "languages": ["de"]}
]$rows$);
insert into scan_days select * from jsonb_populate_recordset(null::scan_days, $rows$[
{"day": "2026-11-23", "scans": 3, "is_spent": false, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into sessions select * from jsonb_populate_recordset(null::sessions, $rows$[
{"id": "01a205e9-5eb0-7281-a8b6-6cbc8da338b1", "user_id": "01a205e9-5eaf-73c8-800a-92b2acf18ef2", "created_at": "2026-11-23T00:58:29.937+00:00", "expires_at": "2026-12-23T00:58:29.937+00:00", "token_hash": "\\xce17ce7d14a0cb09558c30e64e49047f217198dbf7038d6ce830878676c065e9", "last_seen_at": "2026-11-23T00:58:29.937+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into short_links select * from jsonb_populate_recordset(null::short_links, $rows$[
{"id": "01a205e9-5e62-7163-8beb-b8d5778c4631", "slug": "whole", "title": "Every field", "cloaking": false, "utm_term": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5e12-7311-9fa8-9eb7ee9c1f92", "is_active": true, "created_at": "2026-11-23T00:58:29.85+00:00", "created_by": "01a205e9-5d2c-7082-afd5-5008af0381b2", "deleted_at": null, "expires_at": "2099-01-01T00:00:00+00:00", "max_clicks": 1000, "qr_code_id": "01a205e9-5e62-7163-8beb-c6ad708130c8", "updated_at": "2026-11-23T00:58:29.85+00:00", "utm_medium": null, "utm_source": "release", "expired_url": "https://example.com/expired", "external_id": "whole-1", "search_text": "whole\nhttp://localhost:3001/whole\nhttps://example.com/whole\nevery field", "utm_content": null, "utm_campaign": null, "forward_query": true, "password_hash": "$argon2id$v=19$m=19456,t=2,p=1$KTbMkEy0lFQQFXscZ6lPog$qZOduV9te5FO5QALPyAV47v9qgwAkPr3mBxKE/8pGL4", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-4f17927f9f03", "slug": "bulk-0", "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5d2c-7082-afd5-572c64370296", "is_active": true, "created_at": "2026-11-23T00:58:29.89+00:00", "created_by": "01a205e9-5d2c-7082-afd5-5008af0381b2", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-23T00:58:29.89+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "search_text": "bulk-0\nhttp://localhost:3001/bulk-0\nhttps://example.com/bulk/0\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-5bebc7fa293c", "slug": "bulk-1", "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5d2c-7082-afd5-572c64370296", "is_active": true, "created_at": "2026-11-23T00:58:29.89+00:00", "created_by": "01a205e9-5d2c-7082-afd5-5008af0381b2", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-23T00:58:29.89+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "search_text": "bulk-1\nhttp://localhost:3001/bulk-1\nhttps://example.com/bulk/1\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-64eb40b6d52c", "slug": "bulk-2", "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5d2c-7082-afd5-572c64370296", "is_active": true, "created_at": "2026-11-23T00:58:29.89+00:00", "created_by": "01a205e9-5d2c-7082-afd5-5008af0381b2", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-23T00:58:29.89+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "search_text": "bulk-2\nhttp://localhost:3001/bulk-2\nhttps://example.com/bulk/2\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-70d8e825ef6d", "slug": "bulk-3", "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5d2c-7082-afd5-572c64370296", "is_active": true, "created_at": "2026-11-23T00:58:29.89+00:00", "created_by": "01a205e9-5d2c-7082-afd5-5008af0381b2", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-23T00:58:29.89+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "search_text": "bulk-3\nhttp://localhost:3001/bulk-3\nhttps://example.com/bulk/3\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e83-712d-892f-7cd6e6bbb6a6", "slug": "bulk-4", "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5d2c-7082-afd5-572c64370296", "is_active": true, "created_at": "2026-11-23T00:58:29.89+00:00", "created_by": "01a205e9-5d2c-7082-afd5-5008af0381b2", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-23T00:58:29.89+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "search_text": "bulk-4\nhttp://localhost:3001/bulk-4\nhttps://example.com/bulk/4\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e8b-72d8-a5c3-499415fa130e", "slug": "gone", "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a205e9-5d61-76ce-b504-2cee43576531", "folder_id": "01a205e9-5d2c-7082-afd5-572c64370296", "is_active": true, "created_at": "2026-11-23T00:58:29.899+00:00", "created_by": "01a205e9-5d2c-7082-afd5-5008af0381b2", "deleted_at": "2026-11-23T00:58:29.904+00:00", "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-23T00:58:29.899+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "search_text": "gone\nhttp://localhost:3001/gone\nhttps://example.com/gone\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into sign_in_failures select * from jsonb_populate_recordset(null::sign_in_failures, $rows$[
{"id": "01a205e9-5eb3-763d-8b57-6694294946bd", "client": "a client", "account": "\\x0102", "failed_at": "2026-11-23T00:58:29.939+00:00"}
]$rows$);
insert into tags select * from jsonb_populate_recordset(null::tags, $rows$[
{"id": "01a205e9-5e61-773c-8641-1178f177ca28", "name": "red", "color": "#2563EB", "name_key": "red", "created_at": "2026-11-23T00:58:29.851+00:00", "deleted_at": null, "updated_at": "2026-11-23T00:58:29.851+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"id": "01a205e9-5e61-773c-8641-175c98a8294c", "name": "blue", "color": "#7C3AED", "name_key": "blue", "created_at": "2026-11-23T00:58:29.851+00:00", "deleted_at": null, "updated_at": "2026-11-23T00:58:29.851+00:00", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into threat_notices select * from jsonb_populate_recordset(null::threat_notices, $rows$[
{"mail_id": null, "found_at": "2026-11-23T00:58:29.939+00:00", "url_hash": "\\xabababababababababababababababababababababababababababababababab", "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into threat_verdicts select * from jsonb_populate_recordset(null::threat_verdicts, $rows$[
{"url": "https://example.com/", "lane": 0, "due_at": null, "url_hash": "\\xabababababababababababababababababababababababababababababababab", "expires_at": "2026-11-23T00:58:29.939+00:00", "scanned_at": "2026-11-23T00:58:29.939+00:00", "requested_at": "2026-11-23T00:58:29.948+00:00", "threat_types": ["MALWARE"], "organization_id": "00000000-0000-0000-0000-000000000000"},
{"url": "https://example.com/bulk/0", "lane": 1, "due_at": "2026-11-23T01:58:29.89+00:00", "url_hash": "\\xce3dc11730827c75df3c15a778197bfb2c9f7908b7f6474bf3d6b67318292f06", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.89+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"url": "https://example.com/bulk/1", "lane": 1, "due_at": "2026-11-23T01:58:29.89+00:00", "url_hash": "\\x90555b9f5946a3bb14aa91f9bf293e7672e4828be817bbf20974a1dcec48271e", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.89+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"url": "https://example.com/bulk/2", "lane": 1, "due_at": "2026-11-23T01:58:29.89+00:00", "url_hash": "\\xd800f071c711fd76e164d40155f8a86267123df045606ce109195735785b636c", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.89+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"url": "https://example.com/bulk/3", "lane": 1, "due_at": "2026-11-23T01:58:29.89+00:00", "url_hash": "\\x54d42da0cbfead22c61654c72cbbafe85338aac203644caced79c43089c26712", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.89+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"url": "https://example.com/bulk/4", "lane": 1, "due_at": "2026-11-23T01:58:29.89+00:00", "url_hash": "\\x4e3c2a9f5e7c1f4aadaaeb34e08ad398814dc8e430263dc017a5bf3466433522", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.89+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"url": "https://example.com/expired", "lane": 0, "due_at": "2026-11-23T00:58:49.851+00:00", "url_hash": "\\xf4248e226ac3d1d6df105f66a2f597b9f1b6c9cca1b34915a3a0e894b44f5345", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.851+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"url": "https://example.com/gone", "lane": 0, "due_at": "2026-11-23T00:58:49.899+00:00", "url_hash": "\\x6c904d01eaff1a1ee9533ff39cf7a4b1daa761d680c3241f49a3eec53bb4cbc6", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.899+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"url": "https://example.com/rule", "lane": 0, "due_at": "2026-11-23T00:58:49.851+00:00", "url_hash": "\\xd3e8b4777bbd08afa33bba06d05d8da03bdc2b3b76182bee1ef7ba84d39f3923", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.851+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"},
{"url": "https://example.com/whole", "lane": 0, "due_at": "2026-11-23T00:58:49.851+00:00", "url_hash": "\\xa55e054797c372289a3e36c1a9794b1fd934599ff6cc7fb8e4ed8136cfc7c9e5", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-23T00:58:29.851+00:00", "threat_types": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce"}
]$rows$);
insert into users select * from jsonb_populate_recordset(null::users, $rows$[
{"id": "01a205e9-5d2c-7082-afd5-5008af0381b2", "name": "Bot", "type": "bot", "email": null, "is_staff": false, "created_at": "2026-11-23T00:58:29.558+00:00", "deleted_at": null, "updated_at": "2026-11-23T00:58:29.558+00:00", "password_hash": null},
{"id": "01a205e9-5eaf-73c8-800a-92b2acf18ef2", "name": "Ada", "type": "human", "email": "person1@example.com", "is_staff": false, "created_at": "2026-11-23T00:58:29.936+00:00", "deleted_at": null, "updated_at": "2026-11-23T00:58:29.936+00:00", "password_hash": "$argon2id$v=19$m=19456,t=2,p=1$kH+H2SR2glAyA/HoUgSUFA$qG7zftEzQX3VC1s+XBTeQ6xGCN1Nl6DFQYioj65XfEA"}
]$rows$);
insert into visitor_keys select * from jsonb_populate_recordset(null::visitor_keys, $rows$[
{"key": "\\xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd", "month": "2026-11", "created_at": "2026-11-23T00:58:29.939+00:00"}
]$rows$);
insert into webhook_recoveries select * from jsonb_populate_recordset(null::webhook_recoveries, $rows$[
{"since": "2026-11-23T00:58:29.939+00:00", "until": "2026-11-23T00:58:29.939+00:00", "after_at": "2026-11-23T00:58:29.939+00:00", "after_id": "01a205e9-5eb3-763d-8b57-6694294946bd", "created_at": "2026-11-23T00:58:29.939+00:00", "webhook_id": "01a205e9-5e37-74be-a406-a2cdcff29205"}
]$rows$);
insert into webhooks select * from jsonb_populate_recordset(null::webhooks, $rows$[
{"id": "01a205e9-5e37-74be-a406-a2cdcff29205", "url": "https://hooks.example.com/waymark", "name": null, "pump": null, "events": ["link.created", "link.clicked"], "told_at": null, "url_key": "https://hooks.example.com/waymark", "is_active": true, "looked_at": null, "next_pump": null, "warned_at": null, "created_at": "2026-11-23T00:58:29.813+00:00", "deleted_at": null, "is_pumping": false, "updated_at": "2026-11-23T00:58:29.813+00:00", "disabled_at": null, "pump_process": null, "failing_since": null, "next_probe_at": null, "secret_sealed": "\\x014607959fb61cc1e66e6d7f972854fd823d2b6dad691ef954c66c114febdef8182a6266aa534860e7635a704b6d7fcb564b4c3db3850e1d4a81bf9ae612763d69d8056f6fd62bc92b89de732a6efe9657c358e7098c15", "disabled_reason": null, "last_failure_at": null, "organization_id": "01a205e9-5d2c-7082-afd5-4e7f003f14ce", "last_failure_body": null, "last_failure_code": null, "last_failure_error": null, "consecutive_failures": 0, "previous_secret_until": null, "previous_secret_sealed": null}
]$rows$);
insert into workers select * from jsonb_populate_recordset(null::workers, $rows$[
{"id": "01a205e9-5eb3-763d-8b57-6694294946bd", "pid": 1, "host": "a host", "version": "0", "heard_at": "2026-11-23T00:58:29.939+00:00", "disk_bytes": null, "started_at": "2026-11-23T00:58:29.939+00:00", "takes_tasks": true, "disk_free_bytes": null}
]$rows$);
reset session_replication_role;
select setval(pg_get_serial_sequence('migrations', 'id'), max(id)) from migrations;
select setval(pg_get_serial_sequence('outbox', 'id'), max(id)) from outbox;
