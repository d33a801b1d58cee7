-- {"migration":"0091-scan-lanes","takenAt":"2026-11-26T21:39:40.751Z","key":"wm_live_aagJ9dQILFvCnktOs9gsPka6v2tx4QtSfVCuC05r4OW","answers":{"/short-link/01a219cc-c6a9-7105-a19e-c4e1f7e6cd62":{"id":"01a219cc-c6a9-7105-a19e-c4e1f7e6cd62","organizationId":"01a219cc-c211-76ca-9dc3-9ab4ee34982f","domainId":"01a219cc-c25f-7160-8418-2bddc837bdfa","domain":{"id":"01a219cc-c25f-7160-8418-2bddc837bdfa","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"folderId":"01a219cc-c538-739c-9db0-75dea0d46942","folder":{"id":"01a219cc-c538-739c-9db0-75dea0d46942","name":"Autumn","color":"#112233"},"slug":"whole","originUrl":"http://localhost:3001/whole","destination":{"type":"link","value":"https://example.com/whole","threatTypes":null,"enableDeepLinking":true,"iosDeepLink":"example://whole","androidDeepLink":null},"destinationId":"01a219cc-c6aa-7446-a5ee-6284a58b1222","rules":[{"id":"01a219cc-c6aa-7446-a5ee-56e2968d2f00","priority":0,"countries":["DE"],"languages":["de"],"osTypes":["ios"],"destination":{"type":"link","value":"https://example.com/rule","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null}}],"qrCode":{"options":{"width":300},"imageId":null},"qrCodeId":"01a219cc-c6aa-7446-a5ee-5cf173ffbc93","metaTags":{"title":"Preview","description":"Of the link","imageId":"01a219cc-c478-7073-a4c9-303c57d35967","image":{"id":"01a219cc-c478-7073-a4c9-303c57d35967","key":"meta-tag/01a219cc-c478-7073-a4c9-303c57d35967.png"}},"tags":[{"id":"01a219cc-c6a4-72a2-ad7e-7999e5a98fd9","name":"red","color":"#2563EB"},{"id":"01a219cc-c6a4-72a2-ad7e-7fc917c02243","name":"blue","color":"#7C3AED"}],"title":"Every field, changed","externalId":"whole-1","isActive":true,"expiresAt":"2099-01-01T00:00:00.000Z","expiredUrl":"https://example.com/expired","maxClicks":1000,"cloaking":false,"forwardQuery":true,"utmSource":"release","utmMedium":null,"utmCampaign":null,"utmTerm":null,"utmContent":null,"notes":null,"isArchived":false,"currentClicks":2,"lastClickedAt":"2026-11-26T21:39:40.583Z","hasPassword":true,"takenDown":null,"createdAt":"2026-11-26T21:39:40.299Z","updatedAt":"2026-11-26T21:39:40.605Z"},"/short-link/list":{"count":6,"data":[{"id":"01a219cc-c725-7121-8da3-762cf83ecf58","isActive":true,"isArchived":false,"slug":"bulk-4","originUrl":"http://localhost:3001/bulk-4","title":null,"externalId":null,"expiresAt":null,"maxClicks":null,"hasPassword":false,"takenDown":null,"currentClicks":0,"lastClickedAt":null,"destination":{"type":"link","value":"https://example.com/bulk/4","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a219cc-c25f-7160-8418-2bddc837bdfa","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"folder":{"id":"01a219cc-c212-74a5-be48-f6803ea101b2","name":"Links","color":"#112233"},"tags":[],"createdAt":"2026-11-26T21:39:40.449Z","updatedAt":"2026-11-26T21:39:40.449Z"},{"id":"01a219cc-c725-7121-8da3-68e9d107e7dc","isActive":true,"isArchived":false,"slug":"bulk-3","originUrl":"http://localhost:3001/bulk-3","title":null,"externalId":null,"expiresAt":null,"maxClicks":null,"hasPassword":false,"takenDown":null,"currentClicks":0,"lastClickedAt":null,"destination":{"type":"link","value":"https://example.com/bulk/3","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a219cc-c25f-7160-8418-2bddc837bdfa","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"folder":{"id":"01a219cc-c212-74a5-be48-f6803ea101b2","name":"Links","color":"#112233"},"tags":[],"createdAt":"2026-11-26T21:39:40.449Z","updatedAt":"2026-11-26T21:39:40.449Z"},{"id":"01a219cc-c725-7121-8da3-5f27010abc73","isActive":true,"isArchived":false,"slug":"bulk-2","originUrl":"http://localhost:3001/bulk-2","title":null,"externalId":null,"expiresAt":null,"maxClicks":null,"hasPassword":false,"takenDown":null,"currentClicks":0,"lastClickedAt":null,"destination":{"type":"link","value":"https://example.com/bulk/2","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a219cc-c25f-7160-8418-2bddc837bdfa","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"folder":{"id":"01a219cc-c212-74a5-be48-f6803ea101b2","name":"Links","color":"#112233"},"tags":[],"createdAt":"2026-11-26T21:39:40.449Z","updatedAt":"2026-11-26T21:39:40.449Z"},{"id":"01a219cc-c724-7118-bc7a-43eeab432240","isActive":true,"isArchived":false,"slug":"bulk-1","originUrl":"http://localhost:3001/bulk-1","title":null,"externalId":null,"expiresAt":null,"maxClicks":null,"hasPassword":false,"takenDown":null,"currentClicks":0,"lastClickedAt":null,"destination":{"type":"link","value":"https://example.com/bulk/1","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a219cc-c25f-7160-8418-2bddc837bdfa","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"folder":{"id":"01a219cc-c212-74a5-be48-f6803ea101b2","name":"Links","color":"#112233"},"tags":[],"createdAt":"2026-11-26T21:39:40.449Z","updatedAt":"2026-11-26T21:39:40.449Z"},{"id":"01a219cc-c724-7118-bc7a-34206b0445fa","isActive":true,"isArchived":false,"slug":"bulk-0","originUrl":"http://localhost:3001/bulk-0","title":null,"externalId":null,"expiresAt":null,"maxClicks":null,"hasPassword":false,"takenDown":null,"currentClicks":0,"lastClickedAt":null,"destination":{"type":"link","value":"https://example.com/bulk/0","threatTypes":null,"enableDeepLinking":false,"iosDeepLink":null,"androidDeepLink":null},"domain":{"id":"01a219cc-c25f-7160-8418-2bddc837bdfa","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"folder":{"id":"01a219cc-c212-74a5-be48-f6803ea101b2","name":"Links","color":"#112233"},"tags":[],"createdAt":"2026-11-26T21:39:40.449Z","updatedAt":"2026-11-26T21:39:40.449Z"},{"id":"01a219cc-c6a9-7105-a19e-c4e1f7e6cd62","isActive":true,"isArchived":false,"slug":"whole","originUrl":"http://localhost:3001/whole","title":"Every field, changed","externalId":"whole-1","expiresAt":"2099-01-01T00:00:00.000Z","maxClicks":1000,"hasPassword":true,"takenDown":null,"currentClicks":2,"lastClickedAt":"2026-11-26T21:39:40.583Z","destination":{"type":"link","value":"https://example.com/whole","threatTypes":null,"enableDeepLinking":true,"iosDeepLink":"example://whole","androidDeepLink":null},"domain":{"id":"01a219cc-c25f-7160-8418-2bddc837bdfa","domain":"localhost","isPrimary":false,"isVerified":true,"createdAt":null},"folder":{"id":"01a219cc-c538-739c-9db0-75dea0d46942","name":"Autumn","color":"#112233"},"tags":[{"id":"01a219cc-c6a4-72a2-ad7e-7999e5a98fd9","name":"red","color":"#2563EB"},{"id":"01a219cc-c6a4-72a2-ad7e-7fc917c02243","name":"blue","color":"#7C3AED"}],"createdAt":"2026-11-26T21:39:40.299Z","updatedAt":"2026-11-26T21:39:40.605Z"}],"nextCursor":null},"/short-link/import/01a219cc-c797-730e-8ba2-2259213e399e":{"id":"01a219cc-c797-730e-8ba2-2259213e399e","state":"pending","format":"yourls","total":1,"imported":0,"skipped":0,"failed":0,"notMade":0,"ignoredColumns":[],"encoding":"utf-8","separator":",","remarks":[],"createdAt":"2026-11-26T21:39:40.564Z","finishedAt":null,"undo":null},"/stats/overview?groupBy=country":{"data":[{"group":"DE","count":1},{"group":"FR","count":1}],"totalClicks":2},"/stats/clicks":{"data":[{"id":"01a219cc-c7a7-7497-a80d-fa57502f7122","clickedAt":"2026-11-26T21:39:40.583Z","shortLinkId":"01a219cc-c6a9-7105-a19e-c4e1f7e6cd62","domainId":"01a219cc-c25f-7160-8418-2bddc837bdfa","country":"FR","region":null,"city":null,"continent":null,"lang":null,"device":"mobile","browser":null,"os":null,"referer":null,"utmSource":null,"utmMedium":null,"utmCampaign":null,"utmTerm":null,"utmContent":null,"isQrCode":true,"destination":"https://example.com/"},{"id":"01a219cc-c7a7-7497-a80d-f43916e6b707","clickedAt":"2026-11-26T21:39:40.583Z","shortLinkId":"01a219cc-c6a9-7105-a19e-c4e1f7e6cd62","domainId":"01a219cc-c25f-7160-8418-2bddc837bdfa","country":"DE","region":null,"city":null,"continent":null,"lang":null,"device":"desktop","browser":"firefox","os":"linux","referer":"example.org","utmSource":"release","utmMedium":null,"utmCampaign":null,"utmTerm":null,"utmContent":null,"isQrCode":false,"destination":"https://example.com/"}],"nextCursor":null},"/folder/list":{"count":2,"data":[{"id":"01a219cc-c212-74a5-be48-f6803ea101b2","organizationId":"01a219cc-c211-76ca-9dc3-9ab4ee34982f","name":"Links","color":"#112233","isDefault":true,"createdAt":"2026-11-26T21:39:39.178Z","updatedAt":"2026-11-26T21:39:39.178Z"},{"id":"01a219cc-c538-739c-9db0-75dea0d46942","organizationId":"01a219cc-c211-76ca-9dc3-9ab4ee34982f","name":"Autumn","color":"#112233","isDefault":false,"createdAt":"2026-11-26T21:39:39.957Z","updatedAt":"2026-11-26T21:39:39.957Z"}],"nextCursor":null},"/tag/list":{"count":2,"data":[{"id":"01a219cc-c6a4-72a2-ad7e-7fc917c02243","organizationId":"01a219cc-c211-76ca-9dc3-9ab4ee34982f","name":"blue","color":"#7C3AED","createdAt":"2026-11-26T21:39:40.298Z","updatedAt":"2026-11-26T21:39:40.298Z"},{"id":"01a219cc-c6a4-72a2-ad7e-7999e5a98fd9","organizationId":"01a219cc-c211-76ca-9dc3-9ab4ee34982f","name":"red","color":"#2563EB","createdAt":"2026-11-26T21:39:40.298Z","updatedAt":"2026-11-26T21:39:40.298Z"}],"nextCursor":null},"/domain/01a219cc-c582-738d-add5-c4b96b20c5a6":{"id":"01a219cc-c582-738d-add5-c4b96b20c5a6","organizationId":"01a219cc-c211-76ca-9dc3-9ab4ee34982f","domain":"go.example.com","isActive":true,"isVerified":false,"isPrimary":true,"txtRecord":"waymark-verify=4b478c0535400e27a0980a07018f769489029a5f","lastCheckedAt":null,"qrCodeId":"01a219cc-c581-73ab-870c-1254dc914545","qrCode":{"options":{"type":"svg","width":300,"height":300,"margin":4,"dotsOptions":{"type":"square","color":"#000000"},"cornersSquareOptions":{"type":"square","color":"#000000"},"cornersDotOptions":{"type":"square","color":"#000000"},"backgroundOptions":{"color":"#FFFFFF"}},"imageId":null},"fallbackUrl":null,"appleAppSiteAssociation":null,"androidAssetLinks":null,"createdAt":"2026-11-26T21:39:40.003Z","updatedAt":"2026-11-26T21:39:40.003Z"},"/webhook/01a219cc-c5ce-7066-a5f9-07823fd2d721":{"id":"01a219cc-c5ce-7066-a5f9-07823fd2d721","organizationId":"01a219cc-c211-76ca-9dc3-9ab4ee34982f","name":null,"url":"https://hooks.example.com/waymark","events":["link.created","link.clicked"],"scope":null,"headerNames":[],"maxPerSecond":null,"isActive":true,"isPaused":false,"consecutiveFailures":0,"lastFailureAt":null,"disabledAt":null,"disabledReason":null,"createdAt":"2026-11-26T21:39:40.107Z","updatedAt":"2026-11-26T21:39:40.107Z"},"/files/list":{"count":1,"data":[{"id":"01a219cc-c478-7073-a4c9-303c57d35967","createdAt":"2026-11-26T21:39:39.760Z","name":"picture.png","organizationId":"01a219cc-c211-76ca-9dc3-9ab4ee34982f","key":"meta-tag/01a219cc-c478-7073-a4c9-303c57d35967.png","mime":"image/png","size":109,"url":"http://localhost:3000/files/public/123eb2e4469141639cf79132c3f9aad5","takenDown":null}]}}}
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
set names 'utf8';
create or replace function count_updated_links() returns trigger language plpgsql as $$
        begin
          insert into link_totals as t (organization_id, shard, links)
          select organization_id, 64 + pg_backend_pid() % 64, sum(links) from (
            select organization_id, 1 as links from new_links where deleted_at is null
            union all
            select organization_id, -1 as links from old_links where deleted_at is null) c
          group by organization_id having sum(links) <> 0 order by organization_id
          on conflict (organization_id, shard) do update set links = t.links + excluded.links;
          return null;
        end
      $$;
set names 'utf8';
alter table short_links add column notes text;
set names 'utf8';
create table answered_scans (
        id bigserial primary key,
        subject_id uuid not null,
        organization_id uuid not null
      );
      create table scan_batches (
        id uuid primary key,
        created_at timestamptz(3) not null default now(),
        recorded_at timestamptz(3),
        subject_ids uuid[] not null,
        link_ids uuid[] not null
      );
      create index scan_batches_created_at_idx on scan_batches (created_at);
      create index scan_batches_open_idx on scan_batches (created_at) where recorded_at is null;
set names 'utf8';
create table threat_lists (
        threat_type text not null,
        version int not null,
        version_token bytea,
        checksum bytea not null,
        entries int not null,
        changed_at timestamptz(3) not null,
        checked_at timestamptz(3) not null,
        next_diff_at timestamptz(3) not null,
        primary key (threat_type)
      );
      create table threat_list_chunks (
        threat_type text not null,
        version int not null,
        position int not null,
        prefix_size smallint not null,
        prefixes bytea not null,
        primary key (threat_type, version, position)
      );
      alter table workers add column scanner text;
      -- Parts of hashes do not compress.
      alter table threat_list_chunks alter column prefixes set storage external;
set names 'utf8';
drop index short_links_created_by_idx;
      create index short_links_created_by_idx on short_links (created_by) where created_by is not null;
set names 'utf8';
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
set names 'utf8';
alter table link_counters add column last_clicked_at timestamptz(3);
set names 'utf8';
create table link_changes (
        link_id uuid not null,
        number int not null,
        id uuid not null,
        at timestamptz(3) not null,
        caller text not null,
        user_id uuid,
        key_id uuid,
        fields jsonb not null,
        undoes uuid,
        total_bytes bigint not null,
        primary key (link_id, number),
        constraint link_changes_caller_check check (caller in ('key', 'member', 'staff'))
      );
set names 'utf8';
alter table short_links add column reported_expiry timestamptz(3);
      update short_links set reported_expiry = expires_at where expires_at <= now();
      create index short_links_expiry_idx on short_links (expires_at)
        where deleted_at is null and expires_at is not null and reported_expiry is distinct from expires_at;
set names 'utf8';
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
set names 'utf8';
alter table imports drop constraint imports_state_check;
      alter table imports add constraint imports_state_check
        check (state in ('pending', 'running', 'completed', 'failed', 'cancelled'));
set names 'utf8';
alter table short_links add column is_archived boolean not null default false;
      create index short_links_archived_idx on short_links (organization_id) where is_archived and deleted_at is null;
set names 'utf8';
create table password_resets (
        id uuid not null,
        account bytea not null,
        user_id uuid,
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) not null,
        mailed_at timestamptz(3),
        primary key (id),
        constraint password_resets_user_id_foreign foreign key (user_id)
          references users (id) on delete set null
      );
      create index password_resets_account_idx on password_resets (account);
      create index password_resets_user_id_idx on password_resets (user_id);
      create index password_resets_expires_at_idx on password_resets (expires_at);
set names 'utf8';
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
set names 'utf8';
alter table imports drop constraint imports_state_check;
      alter table imports add constraint imports_state_check
        check (state in ('pending', 'running', 'completed', 'failed', 'cancelled', 'undoing', 'undone'));
      alter table imports
        add column removed int not null default 0,
        add column kept int not null default 0,
        add column undo_left int,
        add column undo_row int not null default 0,
        add column undo_includes_changed boolean not null default false,
        add column undone_at timestamptz(3);
set names 'utf8';
alter table domains add column dns jsonb;
set names 'utf8';
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
set names 'utf8';
alter table sessions add column browser text, add column os text;
set names 'utf8';
alter table audit_log
        add column caller text not null default 'member',
        add column key_id uuid,
        add column position int,
        add column salt text,
        add column details_hash text,
        add column hash text;
      alter table audit_log alter column caller drop default;
      update audit_log set caller = case
        when actor is not null then 'operator'
        when action like 'auth.%' or action = 'members.setRole' then 'member'
        else 'staff' end;
      create index audit_log_position_idx on audit_log (organization_id, position);
      create index audit_log_unsealed_idx on audit_log (id) where position is null;
      create table audit_chains (
        id uuid not null,
        length int not null,
        head text not null,
        kept_from int not null,
        kept_after text not null,
        primary key (id)
      );
set names 'utf8';
create table oidc_providers (
        organization_id uuid not null
          constraint oidc_providers_organization_id_foreign references organizations (id) on update cascade on delete cascade,
        issuer text not null,
        client_id text not null,
        client_secret_sealed bytea not null,
        email_domain text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organization_id)
      );
      alter table oidc_providers add constraint oidc_providers_email_domain_key unique (email_domain);
      create table oidc_identities (
        issuer text not null,
        subject text not null,
        user_id uuid not null constraint oidc_identities_user_id_foreign references users (id),
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3) not null,
        primary key (issuer, subject)
      );
      create index oidc_identities_user_id_idx on oidc_identities (user_id);
set names 'utf8';
create table invitations (
        id uuid not null,
        organization_id uuid not null constraint invitations_organization_id_foreign references organizations (id),
        email text not null,
        role text not null constraint invitations_role_check check (role in ('owner', 'admin', 'member')),
        invited_by_id uuid constraint invitations_invited_by_id_foreign references users (id) on delete set null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        mail_wanted_at timestamptz(3) not null,
        mailed_at timestamptz(3),
        ended_at timestamptz(3),
        outcome text constraint invitations_outcome_check check (outcome in ('accepted', 'revoked', 'expired')),
        primary key (id)
      );
      create index invitations_organization_id_idx on invitations (organization_id);
      create index invitations_invited_by_idx on invitations (invited_by_id);
      create index invitations_expires_at_idx on invitations (expires_at);
      create unique index invitations_pending_key on invitations (organization_id, email) where ended_at is null;
set names 'utf8';
alter table purges add column links_removed integer not null default 0;
set names 'utf8';
alter table api_keys
        add column expires_at timestamptz(3),
        add column allowed_addresses text[],
        add column last_used_from text,
        add column previous_key_hash bytea,
        add column previous_key_until timestamptz(3),
        drop constraint api_keys_type_check,
        add constraint api_keys_type_check check (type in ('user', 'bot', 'integration')),
        add constraint api_keys_previous_key_hash_key unique (previous_key_hash);
      create unique index api_keys_integration_key on api_keys (organization_id, name)
        where type = 'integration' and deleted_at is null;
set names 'utf8';
alter table organizations add column suspension_reason text;
      alter table short_links add column taken_down_at timestamptz(3), add column taken_down_reason text,
        add column active_before_take_down boolean;
      alter table files add column taken_down_at timestamptz(3), add column taken_down_reason text;
set names 'utf8';
create table account_notices (
        id uuid not null,
        user_id uuid not null constraint account_notices_user_id_foreign references users (id),
        kind text not null constraint account_notices_kind_check check (
          kind in ('newDevice', 'passwordChanged', 'secondFactorAdded', 'secondFactorRemoved', 'recoveryCodeUsed')),
        details jsonb not null,
        created_at timestamptz(3) not null,
        mailed_at timestamptz(3),
        primary key (id)
      );
      create index account_notices_user_id_idx on account_notices (user_id);
      create index account_notices_created_at_idx on account_notices (created_at);
      create table known_devices (
        user_id uuid not null constraint known_devices_user_id_foreign references users (id),
        token_hash bytea not null,
        created_at timestamptz(3) not null,
        last_seen_at timestamptz(3) not null,
        primary key (user_id, token_hash)
      );
      create index known_devices_last_seen_at_idx on known_devices (last_seen_at);
set names 'utf8';
create table staff_views (
        id uuid not null,
        session_id uuid constraint staff_views_session_id_foreign references sessions (id) on delete set null,
        user_id uuid not null,
        organization_id uuid not null,
        reason text not null,
        began_at timestamptz(3) not null,
        until timestamptz(3) not null,
        primary key (id)
      );
      create unique index staff_views_session_key on staff_views (session_id);
set names 'utf8';
alter table api_keys
        add column folder_ids uuid[],
        add column domain_ids uuid[];
set names 'utf8';
create table totp_factors (
        user_id uuid not null
          constraint totp_factors_user_id_foreign references users (id) on update cascade on delete cascade,
        secret_sealed bytea not null,
        last_step bigint not null,
        created_at timestamptz(3) not null,
        confirmed_at timestamptz(3),
        last_used_at timestamptz(3),
        primary key (user_id)
      );
      create table passkeys (
        id uuid not null,
        user_id uuid not null constraint passkeys_user_id_foreign references users (id),
        credential_id bytea not null,
        public_key bytea not null,
        sign_count bigint not null,
        transports jsonb not null,
        name text not null,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3),
        primary key (id)
      );
      create index passkeys_user_id_idx on passkeys (user_id);
      alter table passkeys add constraint passkeys_credential_id_key unique (credential_id);
      create table recovery_codes (
        user_id uuid not null constraint recovery_codes_user_id_foreign references users (id),
        code_hash bytea not null,
        created_at timestamptz(3) not null,
        primary key (user_id, code_hash)
      );
      create table spent_challenges (
        id_hash bytea not null,
        expires_at timestamptz(3) not null,
        primary key (id_hash)
      );
      create index spent_challenges_expires_at_idx on spent_challenges (expires_at);
      alter table sessions add column confirmed_at timestamptz(3), add column second_factor_at timestamptz(3);
      update sessions set confirmed_at = created_at;
      alter table sessions alter column confirmed_at set not null, alter column confirmed_at set default now();
set names 'utf8';
alter table invitations add column earlier_mails timestamptz[] not null default '{}';
set names 'utf8';
alter index short_links_search_idx set (gin_pending_list_limit = 16384);
      alter table short_links
        drop constraint short_links_organization_id_foreign,
        drop constraint short_links_created_by_foreign;
set names 'utf8';
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
set names 'utf8';
alter table invitations add column key_id uuid;
      create table taken_down_names (
        slug_key text not null,
        domain text not null,
        link_id uuid not null,
        organization_id uuid not null,
        taken_down_at timestamptz(3) not null,
        primary key (slug_key, domain)
      );
      create index taken_down_names_link_id_idx on taken_down_names (link_id);
      insert into taken_down_names (slug_key, domain, link_id, organization_id, taken_down_at)
      select replace(l.slug, U&'\FE0F', ''), d.domain, l.id, l.organization_id, l.taken_down_at
      from short_links l join domains d on d.id = l.domain_id
      where l.taken_down_at is not null
      on conflict do nothing;
set names 'utf8';
alter table sessions add column is_by_provider boolean not null default false;
      delete from sessions s using oidc_identities i, oidc_providers p where i.user_id = s.user_id and i.issuer = p.issuer;
set names 'utf8';
alter table users add column email_verified_at timestamptz(3);
      update users u set email_verified_at = now()
      where u.type = 'human' and u.deleted_at is null and (
        exists (select from oidc_identities i where i.user_id = u.id)
        or exists (select from audit_log a where a.user_id = u.id and a.action = 'auth.reset')
        or not exists (
          select from audit_log a left join invitations i on i.id = a.subject_id
          where a.user_id = u.id and a.action = 'invitation.accepted' and i.mailed_at is null
            -- The invitation that made the account, and not one that its person accepted later.
            and a.at between u.created_at - interval '1 minute' and u.created_at + interval '1 minute'));

      create unlogged table idempotency_bytes (
        organization_id uuid not null,
        hour_at timestamptz(3) not null,
        bytes bigint not null,
        primary key (organization_id, hour_at)
      ) with (fillfactor = 50);
set names 'utf8';
alter table imports add column encoding text, add column separator text, add column date_orders jsonb;
set names 'utf8';
alter table files add column width integer, add column height integer;
set names 'utf8';
alter table workers add column last_task_at timestamptz(3);
      alter table webhooks add column attempted_at timestamptz(3);
      update deliveries d set status = 'held', due_at = null, is_urgent = false from webhooks w
        where w.id = d.webhook_id and w.deleted_at is not null and d.status = 'pending';
set names 'utf8';
drop index outbox_scans_idx;
      drop index outbox_due_idx;
      create index outbox_due_idx on outbox (kind, lane, due_at) where parked_at is null;
-- Rows come in the order of their tables: no trigger fires and no foreign key is checked.
set session_replication_role = replica;
insert into account_notices select * from jsonb_populate_recordset(null::account_notices, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "kind": "newDevice", "details": {}, "user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "mailed_at": null, "created_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into activities select * from jsonb_populate_recordset(null::activities, $rows$[
{"at": "2026-11-26T21:39:39.76+00:00", "id": "01a219cc-c4d6-744a-9223-9f216e188892", "name": "picture.png", "count": 1, "action": "file.created", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": {"kind": "meta-tag"}, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c478-7073-a4c9-303c57d35967", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:39.957+00:00", "id": "01a219cc-c54a-739c-ba8c-79b45f714fc1", "name": "Autumn", "count": 1, "action": "folder.created", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c538-739c-9db0-75dea0d46942", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.003+00:00", "id": "01a219cc-c58d-71ca-a88b-98d551a89cab", "name": "go.example.com", "count": 1, "action": "domain.created", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c582-738d-add5-c4b96b20c5a6", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.107+00:00", "id": "01a219cc-c5da-7550-b1c2-00b6639446e0", "name": "hooks.example.com", "count": 1, "action": "webhook.created", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c5ce-7066-a5f9-07823fd2d721", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.299+00:00", "id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "name": "whole", "count": 1, "action": "shortLink.created", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.461+00:00", "id": "01a219cc-c72d-72a0-93f4-bef64116e145", "name": null, "count": 5, "action": "shortLink.created", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.471+00:00", "id": "01a219cc-c73a-734b-81ce-1921f63e194f", "name": "gone", "count": 1, "action": "shortLink.created", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c73a-734b-81ce-1921f63e194f", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.488+00:00", "id": "01a219cc-c77d-74cd-8552-cb427a19bc79", "name": "gone", "count": 1, "action": "shortLink.deleted", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c73a-734b-81ce-1921f63e194f", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.564+00:00", "id": "01a219cc-c79a-77c4-9511-f8e01df383ee", "name": null, "count": 1, "action": "import.created", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": {"rows": 1, "format": "yourls"}, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c797-730e-8ba2-2259213e399e", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.605+00:00", "id": "01a219cc-c7e5-7085-a4c9-56288b131a4f", "name": "whole", "count": 1, "action": "shortLink.updated", "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": {"fields": ["title"]}, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "subject_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into answered_scans select * from jsonb_populate_recordset(null::answered_scans, $rows$[

]$rows$);
insert into api_keys select * from jsonb_populate_recordset(null::api_keys, $rows$[
{"id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "name": "Test key", "type": "bot", "last4": "r4OW", "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "key_hash": "\\x50a16e1cf9954dc9531d0c399e939c2f75d355b973619bc99afadd29eba0b43a", "created_at": "2026-11-26T21:39:39.182+00:00", "deleted_at": null, "domain_ids": null, "expires_at": null, "folder_ids": null, "updated_at": "2026-11-26T21:39:39.182+00:00", "permissions": {"files": ["create", "read", "update", "delete"], "stats": ["create", "read", "update", "delete"], "domains": ["create", "read", "update", "delete"], "webhooks": ["create", "read", "update", "delete"], "shortLinks": ["create", "read", "update", "delete"]}, "last_used_at": "2026-11-26T21:39:41.039+00:00", "last_used_from": "127.0.0.1", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "allowed_addresses": null, "previous_key_hash": null, "previous_key_until": null}
]$rows$);
insert into audit_chains select * from jsonb_populate_recordset(null::audit_chains, $rows$[
{"id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "head": "", "length": 0, "kept_from": 0, "kept_after": ""}
]$rows$);
insert into audit_log select * from jsonb_populate_recordset(null::audit_log, $rows$[
{"at": "2026-11-26T21:39:40.003+00:00", "id": "01a219cc-c58e-7157-a156-ba768ebdd933", "hash": null, "salt": null, "actor": null, "count": 1, "action": "domain.created", "bucket": null, "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": {"name": "go.example.com"}, "last_at": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "position": null, "subject_id": "01a219cc-c582-738d-add5-c4b96b20c5a6", "details_hash": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.107+00:00", "id": "01a219cc-c5dd-718a-8797-7b539fa76786", "hash": null, "salt": null, "actor": null, "count": 1, "action": "webhook.created", "bucket": null, "caller": "key", "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "details": {"name": "hooks.example.com"}, "last_at": null, "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "position": null, "subject_id": "01a219cc-c5ce-7066-a5f9-07823fd2d721", "details_hash": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"at": "2026-11-26T21:39:40.667+00:00", "id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "hash": null, "salt": null, "actor": null, "count": 1, "action": "test", "bucket": null, "caller": "cli", "key_id": null, "details": {"a": [1]}, "last_at": null, "user_id": null, "position": null, "subject_id": null, "details_hash": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into click_days select * from jsonb_populate_recordset(null::click_days, $rows$[
{"day": "2026-11-26", "quarters": [2], "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into click_rolls select * from jsonb_populate_recordset(null::click_rolls, $rows$[
{"day": "2024-01-01", "clicks": 2, "quarters": 96, "unrolled": 0, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into click_values select * from jsonb_populate_recordset(null::click_values, $rows$[
{"day": "2024-01-01", "counts": [1, 1], "groups": ["DE", "FR"], "dimension": 1, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into click_week_rolls select * from jsonb_populate_recordset(null::click_week_rolls, $rows$[
{"day": "2024-01-01", "clicks": 2, "unrolled": 0, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into click_week_values select * from jsonb_populate_recordset(null::click_week_values, $rows$[
{"day": "2024-01-01", "counts": [1, 1], "groups": ["DE", "FR"], "dimension": 1, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into clicks select * from jsonb_populate_recordset(null::clicks, $rows$[
{"id": "01a219cc-c7a7-7497-a80d-f43916e6b707", "os": "linux", "city": null, "lang": null, "device": "desktop", "region": null, "browser": "firefox", "country": "DE", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "referer": "example.org", "tag_ids": [], "visitor": "\\x000ebff13ea640b38efce79e53372c91", "utm_term": null, "continent": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c538-739c-9db0-75dea0d46942", "clicked_at": "2026-11-26T21:39:40.583+00:00", "is_qr_code": false, "utm_medium": null, "utm_source": "release", "destination": "https://example.com/", "utm_content": null, "utm_campaign": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c7a7-7497-a80d-fa57502f7122", "os": null, "city": null, "lang": null, "device": "mobile", "region": null, "browser": null, "country": "FR", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "referer": null, "tag_ids": [], "visitor": "\\x5ef3719237514902a5d4dd639a681e82", "utm_term": null, "continent": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c538-739c-9db0-75dea0d46942", "clicked_at": "2026-11-26T21:39:40.583+00:00", "is_qr_code": true, "utm_medium": null, "utm_source": null, "destination": "https://example.com/", "utm_content": null, "utm_campaign": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into deliveries select * from jsonb_populate_recordset(null::deliveries, $rows$[
{"id": "01a219cc-c7f5-73fb-afc2-07f4c2462702", "type": "link.created", "claim": null, "tries": 0, "due_at": "2026-11-26T21:39:40.661+00:00", "status": "pending", "attempts": 0, "event_id": "01a219cc-c7f5-73fb-afc2-0b2b08fb8696", "is_urgent": false, "created_at": "2026-11-26T21:39:40.666+00:00", "webhook_id": "01a219cc-c5ce-7066-a5f9-07823fd2d721", "response_code": null}
]$rows$);
insert into delivery_attempts select * from jsonb_populate_recordset(null::delivery_attempts, $rows$[
{"at": "2026-11-26T21:39:40.667+00:00", "body": "no", "code": 500, "error": null, "number": 1, "delivery_id": "01a219cc-c7f5-73fb-afc2-07f4c2462702", "duration_ms": 12}
]$rows$);
insert into destinations select * from jsonb_populate_recordset(null::destinations, $rows$[
{"id": "01a219cc-c6aa-7446-a5ee-58549e12bb01", "type": "link", "value": "https://example.com/rule", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "rule_id": "01a219cc-c6aa-7446-a5ee-56e2968d2f00", "url_hash": "\\xd3e8b4777bbd08afa33bba06d05d8da03bdc2b3b76182bee1ef7ba84d39f3923", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "frames_refused_by": null, "enable_deep_linking": false},
{"id": "01a219cc-c6aa-7446-a5ee-6284a58b1222", "type": "link", "value": "https://example.com/whole", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "rule_id": null, "url_hash": "\\xa55e054797c372289a3e36c1a9794b1fd934599ff6cc7fb8e4ed8136cfc7c9e5", "ios_deep_link": "example://whole", "deep_link_hashes": null, "android_deep_link": null, "frames_refused_by": null, "enable_deep_linking": true},
{"id": "01a219cc-c724-7118-bc7a-397af1b28bb0", "type": "link", "value": "https://example.com/bulk/0", "link_id": "01a219cc-c724-7118-bc7a-34206b0445fa", "rule_id": null, "url_hash": "\\xce3dc11730827c75df3c15a778197bfb2c9f7908b7f6474bf3d6b67318292f06", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "frames_refused_by": null, "enable_deep_linking": false},
{"id": "01a219cc-c724-7118-bc7a-47b736197056", "type": "link", "value": "https://example.com/bulk/1", "link_id": "01a219cc-c724-7118-bc7a-43eeab432240", "rule_id": null, "url_hash": "\\x90555b9f5946a3bb14aa91f9bf293e7672e4828be817bbf20974a1dcec48271e", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "frames_refused_by": null, "enable_deep_linking": false},
{"id": "01a219cc-c725-7121-8da3-625524928142", "type": "link", "value": "https://example.com/bulk/2", "link_id": "01a219cc-c725-7121-8da3-5f27010abc73", "rule_id": null, "url_hash": "\\xd800f071c711fd76e164d40155f8a86267123df045606ce109195735785b636c", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "frames_refused_by": null, "enable_deep_linking": false},
{"id": "01a219cc-c725-7121-8da3-6cb56243afcf", "type": "link", "value": "https://example.com/bulk/3", "link_id": "01a219cc-c725-7121-8da3-68e9d107e7dc", "rule_id": null, "url_hash": "\\x54d42da0cbfead22c61654c72cbbafe85338aac203644caced79c43089c26712", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "frames_refused_by": null, "enable_deep_linking": false},
{"id": "01a219cc-c725-7121-8da3-7834d4ba9a3e", "type": "link", "value": "https://example.com/bulk/4", "link_id": "01a219cc-c725-7121-8da3-762cf83ecf58", "rule_id": null, "url_hash": "\\x4e3c2a9f5e7c1f4aadaaeb34e08ad398814dc8e430263dc017a5bf3466433522", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "frames_refused_by": null, "enable_deep_linking": false},
{"id": "01a219cc-c73a-734b-81ce-1c26e09094d5", "type": "link", "value": "https://example.com/gone", "link_id": "01a219cc-c73a-734b-81ce-1921f63e194f", "rule_id": null, "url_hash": "\\x6c904d01eaff1a1ee9533ff39cf7a4b1daa761d680c3241f49a3eec53bb4cbc6", "ios_deep_link": null, "deep_link_hashes": null, "android_deep_link": null, "frames_refused_by": null, "enable_deep_linking": false}
]$rows$);
insert into domains select * from jsonb_populate_recordset(null::domains, $rows$[
{"id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "dns": null, "domain": "localhost", "is_active": true, "created_at": "2026-11-26T21:39:39.241+00:00", "deleted_at": null, "is_primary": false, "qr_code_id": null, "txt_record": "", "updated_at": "2026-11-26T21:39:39.241+00:00", "is_verified": true, "requeued_at": null, "fallback_url": null, "failed_checks": 0, "next_check_at": null, "last_checked_at": null, "organization_id": null, "android_asset_links": null, "apple_app_site_association": null},
{"id": "01a219cc-c582-738d-add5-c4b96b20c5a6", "dns": null, "domain": "go.example.com", "is_active": true, "created_at": "2026-11-26T21:39:40.003+00:00", "deleted_at": null, "is_primary": true, "qr_code_id": "01a219cc-c581-73ab-870c-1254dc914545", "txt_record": "waymark-verify=4b478c0535400e27a0980a07018f769489029a5f", "updated_at": "2026-11-26T21:39:40.003+00:00", "is_verified": false, "requeued_at": null, "fallback_url": null, "failed_checks": 0, "next_check_at": "2026-11-26T21:39:40.003+00:00", "last_checked_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "android_asset_links": null, "apple_app_site_association": null}
]$rows$);
insert into event_queue select * from jsonb_populate_recordset(null::event_queue, $rows$[
{"event_id": "01a219cc-c6aa-7446-a5ee-6671024e83c8"},
{"event_id": "01a219cc-c724-7118-bc7a-3dace53e86bb"},
{"event_id": "01a219cc-c724-7118-bc7a-48f80df3752c"},
{"event_id": "01a219cc-c725-7121-8da3-6537a5c005f0"},
{"event_id": "01a219cc-c725-7121-8da3-729aff7c5f06"},
{"event_id": "01a219cc-c725-7121-8da3-7cb683cb0af5"},
{"event_id": "01a219cc-c73a-734b-81ce-228f7b74044c"},
{"event_id": "01a219cc-c7a7-7497-a80d-f43916e6b707"},
{"event_id": "01a219cc-c7a7-7497-a80d-fa57502f7122"},
{"event_id": "01a219cc-c7f5-73fb-afc2-0b2b08fb8696"},
{"event_id": "01a219cc-c7fb-7732-87eb-3652ede731c3"}
]$rows$);
insert into event_scopes select * from jsonb_populate_recordset(null::event_scopes, $rows$[
{"tag_ids": [], "event_id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c538-739c-9db0-75dea0d46942"}
]$rows$);
insert into events select * from jsonb_populate_recordset(null::events, $rows$[
{"id": "01a219cc-c6aa-7446-a5ee-6671024e83c8", "body": "{\"id\":\"01a219cc-c6aa-7446-a5ee-6671024e83c8\",\"type\":\"link.created\",\"createdAt\":\"2026-11-26T21:39:40.299Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c6a9-7105-a19e-c4e1f7e6cd62\",\"slug\":\"whole\",\"shortUrl\":\"http://localhost:3001/whole\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/whole\"},\"createdAt\":\"2026-11-26T21:39:40.299Z\"}}}", "type": "link.created", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "created_at": "2026-11-26T21:39:40.299+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c724-7118-bc7a-3dace53e86bb", "body": "{\"id\":\"01a219cc-c724-7118-bc7a-3dace53e86bb\",\"type\":\"link.created\",\"createdAt\":\"2026-11-26T21:39:40.449Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c724-7118-bc7a-34206b0445fa\",\"slug\":\"bulk-0\",\"shortUrl\":\"http://localhost:3001/bulk-0\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/0\"},\"createdAt\":\"2026-11-26T21:39:40.449Z\"}}}", "type": "link.created", "link_id": "01a219cc-c724-7118-bc7a-34206b0445fa", "created_at": "2026-11-26T21:39:40.449+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c724-7118-bc7a-48f80df3752c", "body": "{\"id\":\"01a219cc-c724-7118-bc7a-48f80df3752c\",\"type\":\"link.created\",\"createdAt\":\"2026-11-26T21:39:40.449Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c724-7118-bc7a-43eeab432240\",\"slug\":\"bulk-1\",\"shortUrl\":\"http://localhost:3001/bulk-1\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/1\"},\"createdAt\":\"2026-11-26T21:39:40.449Z\"}}}", "type": "link.created", "link_id": "01a219cc-c724-7118-bc7a-43eeab432240", "created_at": "2026-11-26T21:39:40.449+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c725-7121-8da3-6537a5c005f0", "body": "{\"id\":\"01a219cc-c725-7121-8da3-6537a5c005f0\",\"type\":\"link.created\",\"createdAt\":\"2026-11-26T21:39:40.449Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c725-7121-8da3-5f27010abc73\",\"slug\":\"bulk-2\",\"shortUrl\":\"http://localhost:3001/bulk-2\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/2\"},\"createdAt\":\"2026-11-26T21:39:40.449Z\"}}}", "type": "link.created", "link_id": "01a219cc-c725-7121-8da3-5f27010abc73", "created_at": "2026-11-26T21:39:40.449+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c725-7121-8da3-729aff7c5f06", "body": "{\"id\":\"01a219cc-c725-7121-8da3-729aff7c5f06\",\"type\":\"link.created\",\"createdAt\":\"2026-11-26T21:39:40.449Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c725-7121-8da3-68e9d107e7dc\",\"slug\":\"bulk-3\",\"shortUrl\":\"http://localhost:3001/bulk-3\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/3\"},\"createdAt\":\"2026-11-26T21:39:40.449Z\"}}}", "type": "link.created", "link_id": "01a219cc-c725-7121-8da3-68e9d107e7dc", "created_at": "2026-11-26T21:39:40.449+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c725-7121-8da3-7cb683cb0af5", "body": "{\"id\":\"01a219cc-c725-7121-8da3-7cb683cb0af5\",\"type\":\"link.created\",\"createdAt\":\"2026-11-26T21:39:40.449Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c725-7121-8da3-762cf83ecf58\",\"slug\":\"bulk-4\",\"shortUrl\":\"http://localhost:3001/bulk-4\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/bulk/4\"},\"createdAt\":\"2026-11-26T21:39:40.449Z\"}}}", "type": "link.created", "link_id": "01a219cc-c725-7121-8da3-762cf83ecf58", "created_at": "2026-11-26T21:39:40.449+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c73a-734b-81ce-228f7b74044c", "body": "{\"id\":\"01a219cc-c73a-734b-81ce-228f7b74044c\",\"type\":\"link.created\",\"createdAt\":\"2026-11-26T21:39:40.471Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c73a-734b-81ce-1921f63e194f\",\"slug\":\"gone\",\"shortUrl\":\"http://localhost:3001/gone\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/gone\"},\"createdAt\":\"2026-11-26T21:39:40.471Z\"}}}", "type": "link.created", "link_id": "01a219cc-c73a-734b-81ce-1921f63e194f", "created_at": "2026-11-26T21:39:40.471+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c771-7675-8cb0-884d82dd36be", "body": "{\"id\":\"01a219cc-c771-7675-8cb0-884d82dd36be\",\"type\":\"link.deleted\",\"createdAt\":\"2026-11-26T21:39:40.488Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c73a-734b-81ce-1921f63e194f\",\"slug\":\"gone\",\"deletedAt\":\"2026-11-26T21:39:40.488Z\"}}}", "type": "link.deleted", "link_id": "01a219cc-c73a-734b-81ce-1921f63e194f", "created_at": "2026-11-26T21:39:40.488+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c7a7-7497-a80d-f43916e6b707", "body": "{\"id\":\"01a219cc-c7a7-7497-a80d-f43916e6b707\",\"type\":\"link.clicked\",\"createdAt\":\"2026-11-26T21:39:40.591Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c6a9-7105-a19e-c4e1f7e6cd62\",\"slug\":\"whole\",\"shortUrl\":\"http://localhost:3001/whole\"},\"click\":{\"country\":\"DE\",\"city\":null,\"region\":null,\"device\":\"desktop\",\"browser\":\"firefox\",\"os\":\"linux\",\"referer\":\"example.org\",\"utmSource\":\"release\",\"utmMedium\":null,\"utmCampaign\":null,\"utmTerm\":null,\"utmContent\":null,\"continent\":null,\"lang\":null,\"destination\":\"https://example.com/\",\"isQrCode\":false,\"clickedAt\":\"2026-11-26T21:39:40.583Z\"}}}", "type": "link.clicked", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "created_at": "2026-11-26T21:39:40.591+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c7a7-7497-a80d-fa57502f7122", "body": "{\"id\":\"01a219cc-c7a7-7497-a80d-fa57502f7122\",\"type\":\"link.clicked\",\"createdAt\":\"2026-11-26T21:39:40.591Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c6a9-7105-a19e-c4e1f7e6cd62\",\"slug\":\"whole\",\"shortUrl\":\"http://localhost:3001/whole\"},\"click\":{\"country\":\"FR\",\"city\":null,\"region\":null,\"device\":\"mobile\",\"browser\":null,\"os\":null,\"referer\":null,\"utmSource\":null,\"utmMedium\":null,\"utmCampaign\":null,\"utmTerm\":null,\"utmContent\":null,\"continent\":null,\"lang\":null,\"destination\":\"https://example.com/\",\"isQrCode\":true,\"clickedAt\":\"2026-11-26T21:39:40.583Z\"}}}", "type": "link.clicked", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "created_at": "2026-11-26T21:39:40.591+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c7dd-766c-8361-7f67b49ab994", "body": "{\"id\":\"01a219cc-c7dd-766c-8361-7f67b49ab994\",\"type\":\"link.updated\",\"createdAt\":\"2026-11-26T21:39:40.605Z\",\"data\":{\"link\":{\"id\":\"01a219cc-c6a9-7105-a19e-c4e1f7e6cd62\",\"slug\":\"whole\",\"shortUrl\":\"http://localhost:3001/whole\",\"destination\":{\"type\":\"link\",\"value\":\"https://example.com/whole\"},\"updatedAt\":\"2026-11-26T21:39:40.605Z\"},\"previous\":{\"title\":\"Every field\"}}}", "type": "link.updated", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "created_at": "2026-11-26T21:39:40.605+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c7f5-73fb-afc2-0b2b08fb8696", "body": "{\"id\":\"01a219cc-c7f5-73fb-afc2-0b2b08fb8696\",\"type\":\"link.created\",\"createdAt\":\"2026-11-26T21:39:40.661Z\",\"data\":{\"text\":\"Grüße\"}}", "type": "link.created", "link_id": null, "created_at": "2026-11-26T21:39:40.665+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into files select * from jsonb_populate_recordset(null::files, $rows$[
{"id": "01a219cc-c478-7073-a4c9-303c57d35967", "key": "meta-tag/01a219cc-c478-7073-a4c9-303c57d35967.png", "kind": "meta-tag", "mime": "image/png", "name": "picture.png", "size": 109, "width": 30, "height": 20, "url_key": "123eb2e4469141639cf79132c3f9aad5", "created_at": "2026-11-26T21:39:39.76+00:00", "deleted_at": null, "unused_since": "2026-11-26T21:39:39.76+00:00", "taken_down_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "taken_down_reason": null}
]$rows$);
insert into folders select * from jsonb_populate_recordset(null::folders, $rows$[
{"id": "01a219cc-c212-74a5-be48-f6803ea101b2", "name": "Links", "color": "#112233", "name_key": "links", "created_at": "2026-11-26T21:39:39.178+00:00", "deleted_at": null, "is_default": true, "updated_at": "2026-11-26T21:39:39.178+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c538-739c-9db0-75dea0d46942", "name": "Autumn", "color": "#112233", "name_key": "autumn", "created_at": "2026-11-26T21:39:39.957+00:00", "deleted_at": null, "is_default": false, "updated_at": "2026-11-26T21:39:39.957+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into hidden_links select * from jsonb_populate_recordset(null::hidden_links, $rows$[
{"link_id": "01a219cc-c73a-734b-81ce-1921f63e194f", "purge_id": "01a219cc-c73a-734b-81ce-1921f63e194f", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"link_id": "01a219cc-c7fd-773b-b1d4-675e05dae239", "purge_id": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into idempotency_bytes select * from jsonb_populate_recordset(null::idempotency_bytes, $rows$[
{"bytes": 2384, "hour_at": "2026-11-26T21:00:00+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into idempotency_keys select * from jsonb_populate_recordset(null::idempotency_keys, $rows$[
{"key": "release-1", "made": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "claim": "39ee8edd-ef5a-427e-9d62-acb1a1d29d3d", "route": "/short-link", "answer": "\\x014607959fb61cc1e6dacb4fb11bfbf7ad967341cb8f6fc301e927456b6d80b8310d095b9aa0911a6b3ba677d5639bc7d0d0fd6b5ce36225436cc982ab7b0f1542e4127ac490b72bbae5bb543a37ea365d8f8680cb670299afabedb3c99af167b45991c5b438feb12767c00e48496359759a791fda44a899a297033f1a2949133af29856b4bafbc4b5115c5cab0992eaad87cb413b0a329e06a61a0d6323f5aa14238ab43f4daf73d08b5d9bd842bd796faf3249084ceb57f54324e7a8519638b090879c90f4b9e60c15f1ba5dfcb16b3e7c8586f1f7f95567e999d8a776419ce590297edb8c6abcc8a022b347c459b9c1e1fb126809622e5d4bd3613fb09a7a09361fe0288eefe10f5099050f7bc3dfc610df10dba2f85218b3c1542db5651cfd705bd5f0f654a656ce2f840d4b78803b65cdee10fe0062cffae7b8f633984b99799822baf8904ce07c2a4bca5b80f1d251330c91128b1a0d07caad8fee843762fd758711eb9e45e453e5f9ca33504e83aa0758592b6bd7ee6795fa32cfda8a86920c17e0004d9c50e86ee6eff0079e7ca0a9ad6facceaefc9fc96e89b83c1cfa3932cdd501c620e46ed36d5bce91165a08dea6710a3cb5f37e8a22b61b2723c5a1dc1084904c901c8539cda59ddbd9ae105ba4211273ee61677eb4303163e097f5e1d1e7fa17117c2dde61f073ff850942e2e7f98da1b8da0917ab8a91bfcef7d58ed72d06c001c58871b72418f510721ce984dab9f407a50b7bc2a1c00ab36a7596505c484a36be8255e4d0027445f8d19ec9656278cf25c3f560142dc56eecab9980a30d489142142a59acd30ac3cc5cd4a7dad3579547d26d1443f387d937793856c0303da55118d1c59b3b2353887bd4927556a1f440ebc77be446bc0499008a5e79cd2258287d61aa91bba053a5394adf2fcf4b3d9988253c8a07671e7e8e16afb897e11c9d8b008a6cd43304de6c8fed9f528f08e4b07faa375d669b5cd3d9e75b6731b487f3436de4b8d724f710152fa84c433419a686df49958a46900c91f938ebc4af458c7f17282a69fe7220549c3520a02d351c478a697a6a86b64054b8539c3059c04ad4d55b8477d22619330c0d3b880afc74cb1515898b239c1d8b99cc7c113da73b5d5caafbffee6c1fea43e12d1afd74e37729e8af0684c347dd1804d688b101fbbe8069196c5dbdff39c30313993a19667b55a441d544728de610c0a74a85ec07be9a0c2d2c4bf9a6fc2dc8eb474191b823dd8f4afa343fba14d6323ce151ed7c2ac95fde2c39f29874a72299719a7dadac90b699e8388680b6c1570cecc9abf917af4459858f2bb2a00e84b6a4cda6356600ceacc567a64e5a8a05cadcb637f31c8df9d341b0d795bbfea4e795d7cee081019ad149e55dfccb9857978e71b586cadc083f379f41fa8aed6eac469b255f901abef5c4188d2d4943b751e67692a734c3bbadbfed9a4cb50bb05ea0155aad6afaa776e774553923261f1144ae55703dadbea4c5dca761f67043485f8145e9567e08ac30137cb8c3e2a4f3d45581e000bd02efa74d665d6ac95812f02f0608f765433a7eeb59d96cfa31a1c34fb4d294195bb23d0f9e1360d9ba7dfdaa5fa22b7c037baaca941c262ad81fa40e35101b90dcbf9dce87db02513651da3cbc3df71432705b855dba05c7482ed6be42f7d9796ba7c0c3604537e4593a40715cc7cb1c0bd0b4be4e03676f33eb4c10aa14fc74d96f4a833987a411987fa76100590318636a2ef87be6507f1cf1ee74565e0af0b66527da71f9206cee5d016e3a289c39af001c0b866e533d110b1d0f7493e48f3d113e2331b8166f249e62fb84ef647df412404feb3039f06ae25e3e71892d4b29e0553a47a8036c3744e45e2af3d902c174ad224efdc7b39790750252f0473db4268807fc6a0fd20747fc43558c94e152dfea629ed922f15ace35b66a7f70b58af21ba3572fb92b71afdc45e210e83a6318b68a530572c7ece6d7c236b7d8142c8c6d4870a09ce104058248cb0b3372fef0df077430c6ae054aad5876701d6c1c8933920c988828d94b39edc45aa6a1cca0e78c03f604e95fa07fc8d8f4c2b2f12e5212b4e7eea822626c3f3ed0173ccf4173d64c7076747ff022239c3903d1101253aa560cdf695ce2865e73a032052b4acae5aa815b172f1b428483fad6e9e3965b9e9d3fc9db42663d1c99b5e6fb2cd4ce5cbd69b6073eae2d0a7786f91344db461263788b0abb47736c458729b86c7785b82d037f3444706f210d310696bdd858ef36e8872b561b0c069402bab5b33f3c56bb7c46396e7b8433c30813810fa22584321d0dacde00bc0c24bf133e4b6a2ec9adfcc6a5a3e253d52f134d26830ff988d1fa98542427c067f8365e7ff32c1a842a4685bf386212374d3342ce7dfee7d0c4106d0224cc1912c436414fef927d2fca2dfeb24f4f4946f0d74c61e7e1e4a8ac4d2bdbad06d8b706c5665273bfb5876e1e2a4454d7da9e773a4999c7d7a76fcfa55065cc0e0d7d335a52d69a19546ac424174697d883ff14e6b23f3e7828928602824c92b0835c30ae9833805d225c1ac0d166d7bdb2c1aa03dd3c51a09ba765a660fcee36bc19f06201e6b79c34a258f9ad74009856cca4b28e73afd9cbf48cd352a509a95792ad98f3c24407eca8d00e3f3e4ba9bbf08f67b4f3a06ce7c5f04bb11fd9bb9f68b09e4ce6788099c258aa49105aa3b804213452dc54ef79af81e8d1daebe1e84de899341a68a6e1b06212dace2cc06c45582a5e8acda709292f8804a707ced7e21c3466b65277e8cd32c4e3aca4f54743ad915401e965fc7416383530d74cd2a8145b1cf150dd683c613c8315a52d68efb27935901914eaf84c5a7536877ed73b468df620bf764c7e84389bd26875a4eba0b6db22f79e33f3a0e0ee2768467ac152f3843cf5badaeba44594010e8fdf8ef2f2894de39202e9c486ee0509c5702d7e58987c1cc792ef25eaf066a9d4bbed45c5a1074e52041b588053ec46fee707e46237bda00dc08a4dcd8efaaf637793d8baa5870b32381a9ee162c074c3fca73f1d0e8a1986df9567719db753db6d4e6d386a18998bfe1fe23f27658525c933182add8e694c04867dc4e37a948a63630472cef735a4910b3fd8be1209f178a282729b7573c4da11118f087f3ca5890d5fb05b4c11301430fc820e7ec09e464bdb231aaf777a162e35d4a2bd78c03f0630277d07de1ab11108c92304ba564d2320cafac734a8cc94400d84d7d4d8eed1d4061415cd40cc47c9dde5ed86e2417b6238938e87270004162aad", "caller": "key:01a219cc-c22b-750a-a39a-4a8f9cff9e55", "status": 201, "created_at": "2026-11-26T21:39:40.197+00:00", "fingerprint": "\\xbf759f70c42d7a1ce8f62e028af5626d84ca84707ca9a13fd86df42a03fe4801", "claimed_until": "2026-11-26T21:40:40.197+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into import_rows select * from jsonb_populate_recordset(null::import_rows, $rows$[
{"row": 1, "error": null, "state": null, "fields": ["from-file", "https://example.com/file"], "import_id": "01a219cc-c797-730e-8ba2-2259213e399e", "short_link_id": null}
]$rows$);
insert into imports select * from jsonb_populate_recordset(null::imports, $rows$[
{"id": "01a219cc-c797-730e-8ba2-2259213e399e", "kept": 0, "bytes": 47, "state": "pending", "total": 1, "due_at": "2026-11-26T21:40:10.567+00:00", "failed": 0, "format": "yourls", "header": ["keyword", "url"], "removed": 0, "skipped": 0, "encoding": "utf-8", "imported": 0, "undo_row": 0, "domain_id": null, "folder_id": null, "separator": ",", "undo_left": null, "undone_at": null, "created_at": "2026-11-26T21:39:40.564+00:00", "created_by": "01a219cc-c212-74a5-be48-f3db54413d89", "date_orders": [null, null], "finished_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "undo_includes_changed": false}
]$rows$);
insert into installation select * from jsonb_populate_recordset(null::installation, $rows$[
{"key": "test", "value": {"a": 1}, "created_at": "2026-11-26T21:39:40.667+00:00", "updated_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into invitations select * from jsonb_populate_recordset(null::invitations, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "role": "member", "email": "b@example.com", "key_id": null, "outcome": null, "ended_at": null, "mailed_at": null, "created_at": "2026-11-26T21:39:40.667+00:00", "expires_at": "2026-11-26T21:39:40.667+00:00", "earlier_mails": [], "invited_by_id": null, "mail_wanted_at": "2026-11-26T21:39:40.667+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into journals select * from jsonb_populate_recordset(null::journals, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "dropped": 0, "segment": 1, "ingested": 0, "position": 0, "rejected": 0, "opened_at": "2026-11-26T21:39:40.698+00:00", "counted_at": null, "finished_at": null, "ingested_at": "2026-11-26T21:39:40.698+00:00"},
{"id": "31a9bda0-7c8d-4ad3-8bb9-56f1542daaa9", "dropped": 0, "segment": 1, "ingested": 2, "position": 1, "rejected": 0, "opened_at": "2026-11-26T21:39:40.583+00:00", "counted_at": null, "finished_at": null, "ingested_at": "2026-11-26T21:39:40.585+00:00"}
]$rows$);
insert into known_devices select * from jsonb_populate_recordset(null::known_devices, $rows$[
{"user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "created_at": "2026-11-26T21:39:40.667+00:00", "token_hash": "\\xabababababababababababababababababababababababababababababababab", "last_seen_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into link_caps select * from jsonb_populate_recordset(null::link_caps, $rows$[
{"set_at": null, "granted": 0, "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62"}
]$rows$);
insert into link_changes select * from jsonb_populate_recordset(null::link_changes, $rows$[
{"at": "2026-11-26T21:39:40.605+00:00", "id": "01a219cc-c7e6-748b-b88c-91237e5cb2e8", "caller": "key", "fields": {"title": {"after": "Every field, changed", "before": "Every field"}}, "key_id": "01a219cc-c22b-750a-a39a-4a8f9cff9e55", "number": 1, "undoes": null, "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "total_bytes": 65}
]$rows$);
insert into link_counters select * from jsonb_populate_recordset(null::link_counters, $rows$[
{"clicks": 2, "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "last_clicked_at": "2026-11-26T21:39:40.583+00:00"}
]$rows$);
insert into link_password_failures select * from jsonb_populate_recordset(null::link_password_failures, $rows$[
{"client": "a client", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "failed_at": ["2026-11-26T21:39:40.667+00:00"], "last_failed_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into link_reports select * from jsonb_populate_recordset(null::link_reports, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "notes": ["no"], "clients": ["a client"], "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "reports": 1, "closed_at": null, "closed_by": null, "created_at": "2026-11-26T21:39:40.667+00:00", "handled_at": null, "resolution": null, "reported_at": "2026-11-26T21:39:40.667+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into link_tags select * from jsonb_populate_recordset(null::link_tags, $rows$[
{"tag_id": "01a219cc-c6a4-72a2-ad7e-7999e5a98fd9", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "position": 0},
{"tag_id": "01a219cc-c6a4-72a2-ad7e-7fc917c02243", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "position": 1}
]$rows$);
insert into link_totals select * from jsonb_populate_recordset(null::link_totals, $rows$[
{"links": -1, "shard": 93, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"links": 7, "shard": 29, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into memberships select * from jsonb_populate_recordset(null::memberships, $rows$[
{"role": "member", "user_id": "01a219cc-c212-74a5-be48-f3db54413d89", "created_at": "2026-11-26T21:39:39.173+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"role": "owner", "user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "created_at": "2026-11-26T21:39:40.597+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into meta_tags select * from jsonb_populate_recordset(null::meta_tags, $rows$[
{"title": "Preview", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "image_id": "01a219cc-c478-7073-a4c9-303c57d35967", "description": "Of the link"}
]$rows$);
insert into migrations select * from jsonb_populate_recordset(null::migrations, $rows$[
{"id": 1, "name": "0001-spine", "executed_at": "2026-11-26T21:39:37.984574+00:00"},
{"id": 10, "name": "0010-plans", "executed_at": "2026-11-26T21:39:38.343445+00:00"},
{"id": 11, "name": "0011-deliveries", "executed_at": "2026-11-26T21:39:38.422265+00:00"},
{"id": 12, "name": "0012-domain-actors", "executed_at": "2026-11-26T21:39:38.513058+00:00"},
{"id": 13, "name": "0013-purges", "executed_at": "2026-11-26T21:39:38.536842+00:00"},
{"id": 14, "name": "0014-threats", "executed_at": "2026-11-26T21:39:38.561435+00:00"},
{"id": 15, "name": "0015-audit", "executed_at": "2026-11-26T21:39:38.574441+00:00"},
{"id": 16, "name": "0016-cap-moments", "executed_at": "2026-11-26T21:39:38.580486+00:00"},
{"id": 17, "name": "0017-weeks", "executed_at": "2026-11-26T21:39:38.587245+00:00"},
{"id": 18, "name": "0018-imports", "executed_at": "2026-11-26T21:39:38.596967+00:00"},
{"id": 19, "name": "0019-workers", "executed_at": "2026-11-26T21:39:38.624134+00:00"},
{"id": 2, "name": "0002-installation", "executed_at": "2026-11-26T21:39:38.114808+00:00"},
{"id": 20, "name": "0020-callers", "executed_at": "2026-11-26T21:39:38.635808+00:00"},
{"id": 21, "name": "0021-audit-actors", "executed_at": "2026-11-26T21:39:38.644287+00:00"},
{"id": 22, "name": "0022-import-bytes", "executed_at": "2026-11-26T21:39:38.650939+00:00"},
{"id": 23, "name": "0023-probes", "executed_at": "2026-11-26T21:39:38.664828+00:00"},
{"id": 24, "name": "0024-deep-links", "executed_at": "2026-11-26T21:39:38.681432+00:00"},
{"id": 25, "name": "0025-visitor-keys", "executed_at": "2026-11-26T21:39:38.69327+00:00"},
{"id": 26, "name": "0026-scan-shares", "executed_at": "2026-11-26T21:39:38.701845+00:00"},
{"id": 27, "name": "0027-click-months", "executed_at": "2026-11-26T21:39:38.714688+00:00"},
{"id": 28, "name": "0028-slug-keys", "executed_at": "2026-11-26T21:39:38.718153+00:00"},
{"id": 29, "name": "0029-delete-totals", "executed_at": "2026-11-26T21:39:38.725937+00:00"},
{"id": 3, "name": "0003-calls", "executed_at": "2026-11-26T21:39:38.118986+00:00"},
{"id": 30, "name": "0030-link-notes", "executed_at": "2026-11-26T21:39:38.731751+00:00"},
{"id": 31, "name": "0031-scan-batches", "executed_at": "2026-11-26T21:39:38.7359+00:00"},
{"id": 32, "name": "0032-threat-lists", "executed_at": "2026-11-26T21:39:38.74943+00:00"},
{"id": 33, "name": "0034-live-creators", "executed_at": "2026-11-26T21:39:38.760044+00:00"},
{"id": 34, "name": "0038-visitors-pages", "executed_at": "2026-11-26T21:39:38.766979+00:00"},
{"id": 35, "name": "0039-last-clicks", "executed_at": "2026-11-26T21:39:38.777744+00:00"},
{"id": 36, "name": "0042-link-changes", "executed_at": "2026-11-26T21:39:38.787425+00:00"},
{"id": 37, "name": "0043-reported-expiries", "executed_at": "2026-11-26T21:39:38.795238+00:00"},
{"id": 38, "name": "0044-webhook-settings", "executed_at": "2026-11-26T21:39:38.802594+00:00"},
{"id": 39, "name": "0045-cancelled-imports", "executed_at": "2026-11-26T21:39:38.813206+00:00"},
{"id": 4, "name": "0004-rollups", "executed_at": "2026-11-26T21:39:38.131723+00:00"},
{"id": 40, "name": "0041-archived-links", "executed_at": "2026-11-26T21:39:38.835267+00:00"},
{"id": 41, "name": "0046-password-resets", "executed_at": "2026-11-26T21:39:38.845914+00:00"},
{"id": 42, "name": "0047-utm-templates", "executed_at": "2026-11-26T21:39:38.862569+00:00"},
{"id": 43, "name": "0049-undone-imports", "executed_at": "2026-11-26T21:39:38.877273+00:00"},
{"id": 44, "name": "0050-domain-dns", "executed_at": "2026-11-26T21:39:38.889569+00:00"},
{"id": 45, "name": "0051-activities", "executed_at": "2026-11-26T21:39:38.894246+00:00"},
{"id": 46, "name": "0052-session-browsers", "executed_at": "2026-11-26T21:39:38.905233+00:00"},
{"id": 47, "name": "0056-audit-chains", "executed_at": "2026-11-26T21:39:38.90813+00:00"},
{"id": 48, "name": "0058-oidc", "executed_at": "2026-11-26T21:39:38.920722+00:00"},
{"id": 49, "name": "0059-invitations", "executed_at": "2026-11-26T21:39:38.947299+00:00"},
{"id": 5, "name": "0005-search", "executed_at": "2026-11-26T21:39:38.145617+00:00"},
{"id": 50, "name": "0066-deletion-progress", "executed_at": "2026-11-26T21:39:38.967281+00:00"},
{"id": 51, "name": "0062-key-limits", "executed_at": "2026-11-26T21:39:38.976464+00:00"},
{"id": 52, "name": "0064-take-downs", "executed_at": "2026-11-26T21:39:38.989017+00:00"},
{"id": 53, "name": "0067-account-notices", "executed_at": "2026-11-26T21:39:38.996397+00:00"},
{"id": 54, "name": "0065-staff-views", "executed_at": "2026-11-26T21:39:39.004008+00:00"},
{"id": 55, "name": "0063-key-reach", "executed_at": "2026-11-26T21:39:39.010238+00:00"},
{"id": 56, "name": "0060-second-factors", "executed_at": "2026-11-26T21:39:39.01369+00:00"},
{"id": 57, "name": "0068-invitation-mails", "executed_at": "2026-11-26T21:39:39.034154+00:00"},
{"id": 58, "name": "0069-cheap-creates", "executed_at": "2026-11-26T21:39:39.046085+00:00"},
{"id": 59, "name": "0070-unrecorded-scans", "executed_at": "2026-11-26T21:39:39.053524+00:00"},
{"id": 6, "name": "0006-sign-in", "executed_at": "2026-11-26T21:39:38.234323+00:00"},
{"id": 60, "name": "0074-grants-and-tombstones", "executed_at": "2026-11-26T21:39:39.08569+00:00"},
{"id": 61, "name": "0085-provider-sessions", "executed_at": "2026-11-26T21:39:39.103214+00:00"},
{"id": 62, "name": "0086-verified-emails", "executed_at": "2026-11-26T21:39:39.111434+00:00"},
{"id": 63, "name": "0087-import-readings", "executed_at": "2026-11-26T21:39:39.124102+00:00"},
{"id": 64, "name": "0088-image-sizes", "executed_at": "2026-11-26T21:39:39.129188+00:00"},
{"id": 65, "name": "0089-worker-tasks", "executed_at": "2026-11-26T21:39:39.13453+00:00"},
{"id": 66, "name": "0091-scan-lanes", "executed_at": "2026-11-26T21:39:39.146628+00:00"},
{"id": 7, "name": "0007-webhooks", "executed_at": "2026-11-26T21:39:38.240095+00:00"},
{"id": 8, "name": "0008-link-passwords", "executed_at": "2026-11-26T21:39:38.245851+00:00"},
{"id": 9, "name": "0009-files", "executed_at": "2026-11-26T21:39:38.250351+00:00"}
]$rows$);
insert into oidc_identities select * from jsonb_populate_recordset(null::oidc_identities, $rows$[
{"issuer": "https://id.example.com", "subject": "a", "user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "created_at": "2026-11-26T21:39:40.667+00:00", "last_used_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into oidc_providers select * from jsonb_populate_recordset(null::oidc_providers, $rows$[
{"issuer": "https://id.example.com", "client_id": "a client", "created_at": "2026-11-26T21:39:40.667+00:00", "updated_at": "2026-11-26T21:39:40.667+00:00", "email_domain": "example.com", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "client_secret_sealed": "\\x0102"}
]$rows$);
insert into organizations select * from jsonb_populate_recordset(null::organizations, $rows$[
{"id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "name": "Organization 1", "plan": "premium", "created_at": "2026-11-26T21:39:39.168+00:00", "deleted_at": null, "updated_at": "2026-11-26T21:39:39.168+00:00", "honours_gpc": false, "suspended_at": null, "threat_policy": "warn", "suspension_reason": null}
]$rows$);
insert into outbox select * from jsonb_populate_recordset(null::outbox, $rows$[
{"id": 1, "kind": "domain", "lane": 0, "due_at": "2026-11-26T21:39:40.006+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.006+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c582-738d-add5-c4b96b20c5a6", "organization_id": "00000000-0000-0000-0000-000000000000"},
{"id": 10, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-26T21:39:40.451+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.451+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c725-7121-8da3-7834d4ba9a3e", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": 11, "kind": "threat-scan", "lane": 0, "due_at": "2026-11-26T21:39:40.472+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.472+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c73a-734b-81ce-1c26e09094d5", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": 12, "kind": "purge", "lane": 0, "due_at": "2026-11-26T21:39:40.487+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.487+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c73a-734b-81ce-1921f63e194f", "organization_id": "00000000-0000-0000-0000-000000000000"},
{"id": 13, "kind": "import", "lane": 0, "due_at": "2026-11-26T21:39:40.565+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.565+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c797-730e-8ba2-2259213e399e", "organization_id": "00000000-0000-0000-0000-000000000000"},
{"id": 2, "kind": "webhook", "lane": 0, "due_at": "2026-11-26T21:39:40.107+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.107+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c5ce-7066-a5f9-07823fd2d721", "organization_id": "00000000-0000-0000-0000-000000000000"},
{"id": 3, "kind": "threat-scan", "lane": 0, "due_at": "2026-11-26T21:39:40.298+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.298+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": 4, "kind": "threat-scan", "lane": 0, "due_at": "2026-11-26T21:39:40.298+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.298+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c6aa-7446-a5ee-58549e12bb01", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": 5, "kind": "threat-scan", "lane": 0, "due_at": "2026-11-26T21:39:40.298+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.298+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c6aa-7446-a5ee-6284a58b1222", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": 6, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-26T21:39:40.451+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.451+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c724-7118-bc7a-397af1b28bb0", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": 7, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-26T21:39:40.451+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.451+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c724-7118-bc7a-47b736197056", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": 8, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-26T21:39:40.451+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.451+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c725-7121-8da3-625524928142", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": 9, "kind": "threat-scan", "lane": 1, "due_at": "2026-11-26T21:39:40.451+00:00", "attempts": 0, "parked_at": null, "created_at": "2026-11-26T21:39:40.451+00:00", "generation": 1, "last_error": null, "subject_id": "01a219cc-c725-7121-8da3-6cb56243afcf", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into passkeys select * from jsonb_populate_recordset(null::passkeys, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "name": "a key", "user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "created_at": "2026-11-26T21:39:40.667+00:00", "public_key": "\\x0102", "sign_count": 1, "transports": [], "last_used_at": null, "credential_id": "\\x0102"}
]$rows$);
insert into password_resets select * from jsonb_populate_recordset(null::password_resets, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "account": "\\x0102", "user_id": null, "mailed_at": null, "created_at": "2026-11-26T21:39:40.667+00:00", "expires_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into purges select * from jsonb_populate_recordset(null::purges, $rows$[
{"id": "01a219cc-c73a-734b-81ce-1921f63e194f", "kind": "links", "links": 1, "due_at": "2026-11-26T21:40:10.487+00:00", "told_to": "ffffffff-ffff-ffff-ffff-ffffffffffff", "deleted_at": "2026-11-26T21:39:40.488+00:00", "links_removed": 0, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "kind": "folder", "links": 1, "due_at": "2026-11-26T21:39:40.667+00:00", "told_to": "01a219cc-c7fb-7732-87eb-3652ede731c3", "deleted_at": "2026-11-26T21:39:40.667+00:00", "links_removed": 0, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into qr_codes select * from jsonb_populate_recordset(null::qr_codes, $rows$[
{"id": "01a219cc-c581-73ab-870c-1254dc914545", "options": {"type": "svg", "width": 300, "height": 300, "margin": 4, "dotsOptions": {"type": "square", "color": "#000000"}, "backgroundOptions": {"color": "#FFFFFF"}, "cornersDotOptions": {"type": "square", "color": "#000000"}, "cornersSquareOptions": {"type": "square", "color": "#000000"}}, "image_id": null, "created_at": "2026-11-26T21:39:40.006+00:00", "updated_at": "2026-11-26T21:39:40.006+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c6aa-7446-a5ee-5cf173ffbc93", "options": {"width": 300}, "image_id": null, "created_at": "2026-11-26T21:39:40.298+00:00", "updated_at": "2026-11-26T21:39:40.298+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into rate_windows select * from jsonb_populate_recordset(null::rate_windows, $rows$[
{"granted": 1, "subject": "01a219cc-c7fb-7732-87eb-3652ede731c3", "minute_at": "2026-11-26T21:39:40.667+00:00", "second_at": "2026-11-26T21:39:40.667+00:00", "minute_used": 1, "second_used": 1},
{"granted": 1, "subject": "key:01a219cc-c22b-750a-a39a-4a8f9cff9e55", "minute_at": "2026-11-26T21:39:39.705035+00:00", "second_at": "2026-11-26T21:39:40.752192+00:00", "minute_used": 20, "second_used": 10}
]$rows$);
insert into recovery_codes select * from jsonb_populate_recordset(null::recovery_codes, $rows$[
{"user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "code_hash": "\\xabababababababababababababababababababababababababababababababab", "created_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into rules select * from jsonb_populate_recordset(null::rules, $rows$[
{"id": "01a219cc-c6aa-7446-a5ee-56e2968d2f00", "link_id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "os_types": ["ios"], "position": 0, "priority": 0, "countries": ["DE"], "languages": ["de"]}
]$rows$);
insert into scan_batches select * from jsonb_populate_recordset(null::scan_batches, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "link_ids": ["01a219cc-c6a9-7105-a19e-c4e1f7e6cd62"], "created_at": "2026-11-26T21:39:40.667+00:00", "recorded_at": null, "subject_ids": ["01a219cc-c7fb-7732-87eb-3652ede731c3"]}
]$rows$);
insert into scan_days select * from jsonb_populate_recordset(null::scan_days, $rows$[
{"day": "2026-11-26", "scans": 3, "is_spent": false, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into sessions select * from jsonb_populate_recordset(null::sessions, $rows$[
{"id": "01a219cc-c7b5-776a-9e2a-4b586a1b4b6c", "os": null, "browser": null, "user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "created_at": "2026-11-26T21:39:40.599+00:00", "expires_at": "2026-12-26T21:39:40.599+00:00", "token_hash": "\\xd6539665c67470b4be446443a302b1287b9d03252931548a7bf1f5d0eefaa518", "confirmed_at": "2026-11-26T21:39:40.599+00:00", "last_seen_at": "2026-11-26T21:39:40.599+00:00", "is_by_provider": false, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "second_factor_at": null}
]$rows$);
insert into short_links select * from jsonb_populate_recordset(null::short_links, $rows$[
{"id": "01a219cc-c6a9-7105-a19e-c4e1f7e6cd62", "slug": "whole", "notes": null, "title": "Every field, changed", "cloaking": false, "utm_term": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c538-739c-9db0-75dea0d46942", "is_active": true, "created_at": "2026-11-26T21:39:40.299+00:00", "created_by": "01a219cc-c212-74a5-be48-f3db54413d89", "deleted_at": null, "expires_at": "2099-01-01T00:00:00+00:00", "max_clicks": 1000, "qr_code_id": "01a219cc-c6aa-7446-a5ee-5cf173ffbc93", "updated_at": "2026-11-26T21:39:40.605+00:00", "utm_medium": null, "utm_source": "release", "expired_url": "https://example.com/expired", "external_id": "whole-1", "is_archived": false, "search_text": "whole\nhttp://localhost:3001/whole\nhttps://example.com/whole\nevery field, changed\n", "utm_content": null, "utm_campaign": null, "forward_query": true, "password_hash": "$argon2id$v=19$m=19456,t=2,p=1$rhaynoIHu7IwJFjg1vqAhA$hK7M0mm1XsSfGWPJVUOVTFSFykYLCt1PGixgR2TQ8Rg", "taken_down_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "reported_expiry": null, "taken_down_reason": null, "active_before_take_down": null},
{"id": "01a219cc-c724-7118-bc7a-34206b0445fa", "slug": "bulk-0", "notes": null, "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c212-74a5-be48-f6803ea101b2", "is_active": true, "created_at": "2026-11-26T21:39:40.449+00:00", "created_by": "01a219cc-c212-74a5-be48-f3db54413d89", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-26T21:39:40.449+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "is_archived": false, "search_text": "bulk-0\nhttp://localhost:3001/bulk-0\nhttps://example.com/bulk/0\n\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "taken_down_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "reported_expiry": null, "taken_down_reason": null, "active_before_take_down": null},
{"id": "01a219cc-c724-7118-bc7a-43eeab432240", "slug": "bulk-1", "notes": null, "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c212-74a5-be48-f6803ea101b2", "is_active": true, "created_at": "2026-11-26T21:39:40.449+00:00", "created_by": "01a219cc-c212-74a5-be48-f3db54413d89", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-26T21:39:40.449+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "is_archived": false, "search_text": "bulk-1\nhttp://localhost:3001/bulk-1\nhttps://example.com/bulk/1\n\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "taken_down_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "reported_expiry": null, "taken_down_reason": null, "active_before_take_down": null},
{"id": "01a219cc-c725-7121-8da3-5f27010abc73", "slug": "bulk-2", "notes": null, "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c212-74a5-be48-f6803ea101b2", "is_active": true, "created_at": "2026-11-26T21:39:40.449+00:00", "created_by": "01a219cc-c212-74a5-be48-f3db54413d89", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-26T21:39:40.449+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "is_archived": false, "search_text": "bulk-2\nhttp://localhost:3001/bulk-2\nhttps://example.com/bulk/2\n\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "taken_down_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "reported_expiry": null, "taken_down_reason": null, "active_before_take_down": null},
{"id": "01a219cc-c725-7121-8da3-68e9d107e7dc", "slug": "bulk-3", "notes": null, "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c212-74a5-be48-f6803ea101b2", "is_active": true, "created_at": "2026-11-26T21:39:40.449+00:00", "created_by": "01a219cc-c212-74a5-be48-f3db54413d89", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-26T21:39:40.449+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "is_archived": false, "search_text": "bulk-3\nhttp://localhost:3001/bulk-3\nhttps://example.com/bulk/3\n\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "taken_down_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "reported_expiry": null, "taken_down_reason": null, "active_before_take_down": null},
{"id": "01a219cc-c725-7121-8da3-762cf83ecf58", "slug": "bulk-4", "notes": null, "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c212-74a5-be48-f6803ea101b2", "is_active": true, "created_at": "2026-11-26T21:39:40.449+00:00", "created_by": "01a219cc-c212-74a5-be48-f3db54413d89", "deleted_at": null, "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-26T21:39:40.449+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "is_archived": false, "search_text": "bulk-4\nhttp://localhost:3001/bulk-4\nhttps://example.com/bulk/4\n\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "taken_down_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "reported_expiry": null, "taken_down_reason": null, "active_before_take_down": null},
{"id": "01a219cc-c73a-734b-81ce-1921f63e194f", "slug": "gone", "notes": null, "title": null, "cloaking": false, "utm_term": null, "domain_id": "01a219cc-c25f-7160-8418-2bddc837bdfa", "folder_id": "01a219cc-c212-74a5-be48-f6803ea101b2", "is_active": true, "created_at": "2026-11-26T21:39:40.471+00:00", "created_by": "01a219cc-c212-74a5-be48-f3db54413d89", "deleted_at": "2026-11-26T21:39:40.488+00:00", "expires_at": null, "max_clicks": null, "qr_code_id": null, "updated_at": "2026-11-26T21:39:40.471+00:00", "utm_medium": null, "utm_source": null, "expired_url": null, "external_id": null, "is_archived": false, "search_text": "gone\nhttp://localhost:3001/gone\nhttps://example.com/gone\n\n", "utm_content": null, "utm_campaign": null, "forward_query": false, "password_hash": null, "taken_down_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "reported_expiry": null, "taken_down_reason": null, "active_before_take_down": null}
]$rows$);
insert into sign_in_failures select * from jsonb_populate_recordset(null::sign_in_failures, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "client": "a client", "account": "\\x0102", "failed_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into spent_challenges select * from jsonb_populate_recordset(null::spent_challenges, $rows$[
{"id_hash": "\\xabababababababababababababababababababababababababababababababab", "expires_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into staff_views select * from jsonb_populate_recordset(null::staff_views, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "until": "2026-11-26T21:39:40.667+00:00", "reason": "a reason", "user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "began_at": "2026-11-26T21:39:40.667+00:00", "session_id": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into tags select * from jsonb_populate_recordset(null::tags, $rows$[
{"id": "01a219cc-c6a4-72a2-ad7e-7999e5a98fd9", "name": "red", "color": "#2563EB", "name_key": "red", "created_at": "2026-11-26T21:39:40.298+00:00", "deleted_at": null, "updated_at": "2026-11-26T21:39:40.298+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"id": "01a219cc-c6a4-72a2-ad7e-7fc917c02243", "name": "blue", "color": "#7C3AED", "name_key": "blue", "created_at": "2026-11-26T21:39:40.298+00:00", "deleted_at": null, "updated_at": "2026-11-26T21:39:40.298+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into taken_down_names select * from jsonb_populate_recordset(null::taken_down_names, $rows$[
{"domain": "localhost:3001", "link_id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "slug_key": "down", "taken_down_at": "2026-11-26T21:39:40.667+00:00", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into threat_list_chunks select * from jsonb_populate_recordset(null::threat_list_chunks, $rows$[
{"version": 1, "position": 0, "prefixes": "\\x01020304", "prefix_size": 4, "threat_type": "MALWARE"}
]$rows$);
insert into threat_lists select * from jsonb_populate_recordset(null::threat_lists, $rows$[
{"entries": 1, "version": 1, "checksum": "\\xabababababababababababababababababababababababababababababababab", "changed_at": "2026-11-26T21:39:40.667+00:00", "checked_at": "2026-11-26T21:39:40.667+00:00", "threat_type": "MALWARE", "next_diff_at": "2026-11-26T21:39:40.667+00:00", "version_token": "\\x0102"}
]$rows$);
insert into threat_notices select * from jsonb_populate_recordset(null::threat_notices, $rows$[
{"mail_id": null, "found_at": "2026-11-26T21:39:40.667+00:00", "url_hash": "\\xabababababababababababababababababababababababababababababababab", "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into threat_verdicts select * from jsonb_populate_recordset(null::threat_verdicts, $rows$[
{"url": "https://example.com/", "lane": 0, "due_at": null, "url_hash": "\\xabababababababababababababababababababababababababababababababab", "expires_at": "2026-11-26T21:39:40.667+00:00", "scanned_at": "2026-11-26T21:39:40.667+00:00", "requested_at": "2026-11-26T21:39:40.747+00:00", "threat_types": ["MALWARE"], "organization_id": "00000000-0000-0000-0000-000000000000"},
{"url": "https://example.com/bulk/0", "lane": 1, "due_at": "2026-11-26T22:39:40.451+00:00", "url_hash": "\\xce3dc11730827c75df3c15a778197bfb2c9f7908b7f6474bf3d6b67318292f06", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.451+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"url": "https://example.com/bulk/1", "lane": 1, "due_at": "2026-11-26T22:39:40.451+00:00", "url_hash": "\\x90555b9f5946a3bb14aa91f9bf293e7672e4828be817bbf20974a1dcec48271e", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.451+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"url": "https://example.com/bulk/2", "lane": 1, "due_at": "2026-11-26T22:39:40.451+00:00", "url_hash": "\\xd800f071c711fd76e164d40155f8a86267123df045606ce109195735785b636c", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.451+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"url": "https://example.com/bulk/3", "lane": 1, "due_at": "2026-11-26T22:39:40.451+00:00", "url_hash": "\\x54d42da0cbfead22c61654c72cbbafe85338aac203644caced79c43089c26712", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.451+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"url": "https://example.com/bulk/4", "lane": 1, "due_at": "2026-11-26T22:39:40.451+00:00", "url_hash": "\\x4e3c2a9f5e7c1f4aadaaeb34e08ad398814dc8e430263dc017a5bf3466433522", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.451+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"url": "https://example.com/expired", "lane": 0, "due_at": "2026-11-26T21:40:00.298+00:00", "url_hash": "\\xf4248e226ac3d1d6df105f66a2f597b9f1b6c9cca1b34915a3a0e894b44f5345", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.298+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"url": "https://example.com/gone", "lane": 0, "due_at": "2026-11-26T21:40:00.472+00:00", "url_hash": "\\x6c904d01eaff1a1ee9533ff39cf7a4b1daa761d680c3241f49a3eec53bb4cbc6", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.472+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"url": "https://example.com/rule", "lane": 0, "due_at": "2026-11-26T21:40:00.298+00:00", "url_hash": "\\xd3e8b4777bbd08afa33bba06d05d8da03bdc2b3b76182bee1ef7ba84d39f3923", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.298+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"},
{"url": "https://example.com/whole", "lane": 0, "due_at": "2026-11-26T21:40:00.298+00:00", "url_hash": "\\xa55e054797c372289a3e36c1a9794b1fd934599ff6cc7fb8e4ed8136cfc7c9e5", "expires_at": null, "scanned_at": null, "requested_at": "2026-11-26T21:39:40.298+00:00", "threat_types": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into totp_factors select * from jsonb_populate_recordset(null::totp_factors, $rows$[
{"user_id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "last_step": 1, "created_at": "2026-11-26T21:39:40.667+00:00", "confirmed_at": null, "last_used_at": null, "secret_sealed": "\\x0102"}
]$rows$);
insert into unrecorded_scans select * from jsonb_populate_recordset(null::unrecorded_scans, $rows$[

]$rows$);
insert into users select * from jsonb_populate_recordset(null::users, $rows$[
{"id": "01a219cc-c212-74a5-be48-f3db54413d89", "name": "Bot", "type": "bot", "email": null, "is_staff": false, "created_at": "2026-11-26T21:39:39.171+00:00", "deleted_at": null, "updated_at": "2026-11-26T21:39:39.171+00:00", "password_hash": null, "email_verified_at": null},
{"id": "01a219cc-c7b3-7331-857e-8c02af6a9c85", "name": "Ada", "type": "human", "email": "person1@example.com", "is_staff": false, "created_at": "2026-11-26T21:39:40.596+00:00", "deleted_at": null, "updated_at": "2026-11-26T21:39:40.596+00:00", "password_hash": "$argon2id$v=19$m=64,t=1,p=1$o2PEgqlHhMl1Ml1Sxx/H/g$iv1+KdAtJPe0NCKDJr6seSIXIhZKY++0Ubi/LCibX4g", "email_verified_at": "2026-11-26T21:39:40.596+00:00"}
]$rows$);
insert into utm_templates select * from jsonb_populate_recordset(null::utm_templates, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "name": "A", "name_key": "a", "utm_term": null, "created_at": "2026-11-26T21:39:40.667+00:00", "updated_at": "2026-11-26T21:39:40.667+00:00", "utm_medium": null, "utm_source": "release", "utm_content": null, "utm_campaign": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f"}
]$rows$);
insert into visitor_keys select * from jsonb_populate_recordset(null::visitor_keys, $rows$[
{"key": "\\xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd", "month": "2026-11", "created_at": "2026-11-26T21:39:40.667+00:00"}
]$rows$);
insert into webhook_recoveries select * from jsonb_populate_recordset(null::webhook_recoveries, $rows$[
{"since": "2026-11-26T21:39:40.667+00:00", "until": "2026-11-26T21:39:40.667+00:00", "after_at": "2026-11-26T21:39:40.667+00:00", "after_id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "created_at": "2026-11-26T21:39:40.667+00:00", "webhook_id": "01a219cc-c5ce-7066-a5f9-07823fd2d721"}
]$rows$);
insert into webhooks select * from jsonb_populate_recordset(null::webhooks, $rows$[
{"id": "01a219cc-c5ce-7066-a5f9-07823fd2d721", "url": "https://hooks.example.com/waymark", "name": null, "pump": null, "events": ["link.created", "link.clicked"], "told_at": null, "url_key": "https://hooks.example.com/waymark", "is_active": true, "is_paused": false, "looked_at": null, "next_pump": null, "warned_at": null, "created_at": "2026-11-26T21:39:40.107+00:00", "deleted_at": null, "is_pumping": false, "updated_at": "2026-11-26T21:39:40.107+00:00", "disabled_at": null, "attempted_at": null, "header_names": [], "pump_process": null, "failing_since": null, "next_probe_at": null, "scope_tag_ids": null, "secret_sealed": "\\x014607959fb61cc1e65bb61bb4b978b524084ec0166b3c6b2ed6c789d1f0f62adb8bfc68129ed958fe2bc8ee7fb7d2739ee605b00b220243044bf7cbb9c528071af7bb94e2027e098d5d32028cf4cfbc89e2c09372fbb4", "headers_sealed": null, "max_per_second": null, "scope_link_ids": null, "disabled_reason": null, "last_failure_at": null, "organization_id": "01a219cc-c211-76ca-9dc3-9ab4ee34982f", "scope_domain_ids": null, "scope_folder_ids": null, "last_failure_body": null, "last_failure_code": null, "last_failure_error": null, "consecutive_failures": 0, "previous_secret_until": null, "previous_secret_sealed": null}
]$rows$);
insert into workers select * from jsonb_populate_recordset(null::workers, $rows$[
{"id": "01a219cc-c7fb-7732-87eb-3652ede731c3", "pid": 1, "host": "a host", "scanner": null, "version": "0", "heard_at": "2026-11-26T21:39:40.667+00:00", "disk_bytes": null, "started_at": "2026-11-26T21:39:40.667+00:00", "takes_tasks": true, "last_task_at": null, "disk_free_bytes": null}
]$rows$);
reset session_replication_role;
select setval(pg_get_serial_sequence('migrations', 'id'), max(id)) from migrations;
select setval(pg_get_serial_sequence('outbox', 'id'), max(id)) from outbox;
