-- The whole schema, as `waymark migrate` makes it in an empty database: functions, tables with their indexes, foreign keys, triggers, rights.

create extension if not exists btree_gin;
create extension if not exists pg_trgm;

create function attach_click_month(month text) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  start_at timestamp := (month || '-01')::timestamp;
  ends_at timestamp := start_at + interval '1 month';
begin
  execute format('alter table clicks attach partition %I for values from (%L) to (%L)',
    'clicks_y' || replace(month, '-', 'm'), start_at || '+00', ends_at || '+00');
end $$;

create function count_deleted_links() returns trigger language plpgsql as $$
begin
  insert into link_totals as t (organization_id, shard, links)
  select organization_id, pg_backend_pid() % 64, sum(links)
  from (select organization_id, -1 as links from old_links where deleted_at is null) c
  group by organization_id having sum(links) <> 0 order by organization_id
  on conflict (organization_id, shard) do update set links = t.links + excluded.links;
  return null;
end
$$;

create function count_inserted_links() returns trigger language plpgsql as $$
begin
  insert into link_totals as t (organization_id, shard, links)
  select organization_id, pg_backend_pid() % 64, sum(links)
  from (select organization_id, 1 as links from new_links where deleted_at is null) c
  group by organization_id having sum(links) <> 0 order by organization_id
  on conflict (organization_id, shard) do update set links = t.links + excluded.links;
  return null;
end
$$;

create function count_no_links() returns trigger language plpgsql as $$
begin truncate link_totals; return null; end
$$;

create function count_updated_links() returns trigger language plpgsql as $$
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

create function create_click_month(month text) returns void language plpgsql set search_path = public, pg_temp as $$
declare name text := 'clicks_y' || replace(month, '-', 'm');
begin
  execute format('create table %I (like clicks including defaults) partition by hash (organization_id)', name);
  for part in 0..7 loop
    execute format('create table %I partition of %I for values with (modulus 8, remainder %s)',
      name || '_' || part, name, part);
  end loop;
end $$;

create function ensure_click_month(month text) returns void language plpgsql security definer set search_path = public, pg_temp as $_$
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
end $_$;

create function hash_of_url(url text) returns bytea language sql immutable strict parallel safe as $$ select sha256(convert_to(url, 'UTF8')) $$;

create function new_id() returns uuid language sql as $$
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

create table account_notices (
  id uuid not null,
  user_id uuid not null,
  kind text not null,
  details jsonb not null,
  created_at timestamptz(3) not null,
  mailed_at timestamptz(3),
  constraint account_notices_kind_check check (kind in ('newDevice', 'passwordChanged', 'secondFactorAdded', 'secondFactorRemoved', 'recoveryCodeUsed')),
  primary key (id)
);
create index account_notices_created_at_idx on account_notices (created_at);
create index account_notices_user_id_idx on account_notices (user_id);

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
create index activities_at_idx on activities using brin (at);
create index activities_subject_id_idx on activities (subject_id, id) where (subject_id <> id);

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
  expires_at timestamptz(3),
  allowed_addresses text[],
  last_used_from text,
  previous_key_hash bytea,
  previous_key_until timestamptz(3),
  folder_ids uuid[],
  domain_ids uuid[],
  constraint api_keys_type_check check (type in ('user', 'bot', 'integration')),
  primary key (id)
);
alter table api_keys add constraint api_keys_key_hash_key unique (key_hash);
alter table api_keys add constraint api_keys_previous_key_hash_key unique (previous_key_hash);
create unique index api_keys_bot_key on api_keys (organization_id) where type = 'bot' and deleted_at is null;
create unique index api_keys_integration_key on api_keys (organization_id, name) where type = 'integration' and deleted_at is null;
create index api_keys_organization_id_idx on api_keys (organization_id);
create index api_keys_user_id_idx on api_keys (user_id);
create unique index api_keys_user_key on api_keys (organization_id, user_id) where type = 'user' and deleted_at is null;

create table audit_chains (
  id uuid not null,
  length int not null,
  head text not null,
  kept_from int not null,
  kept_after text not null,
  primary key (id)
);

create table audit_log (
  id uuid not null,
  at timestamptz(3) not null,
  user_id uuid,
  action text not null,
  organization_id uuid,
  subject_id uuid,
  details jsonb not null,
  actor text,
  count int not null default 1,
  last_at timestamptz(3),
  bucket text,
  caller text not null,
  key_id uuid,
  "position" int,
  salt text,
  details_hash text,
  hash text,
  primary key (id)
);
alter table audit_log add constraint audit_log_bucket_key unique (bucket);
create index audit_log_at_idx on audit_log (at);
create index audit_log_organization_id_idx on audit_log (organization_id, id);
create index audit_log_position_idx on audit_log (organization_id, "position");
create index audit_log_unsealed_idx on audit_log (id) where ("position" is null);
create index audit_log_user_id_idx on audit_log (user_id);

create table click_days (
  organization_id uuid not null,
  day date not null,
  quarters int[] not null,
  primary key (organization_id, day)
) with (fillfactor='80');

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
create table clicks_default partition of clicks default;
create index clicks_clicked_at_idx on clicks using brin (clicked_at);
create index clicks_link_id_idx on clicks (link_id, clicked_at);
create index clicks_organization_id_idx on clicks (organization_id, clicked_at) include (visitor, link_id);

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
  constraint deliveries_status_check check (status in ('pending', 'delivered', 'failed', 'held')),
  primary key (id)
);
create index deliveries_claim_idx on deliveries (webhook_id) where claim is not null;
create index deliveries_due_idx on deliveries (webhook_id, due_at) where status = 'pending' and not is_urgent;
create unique index deliveries_event_key on deliveries (event_id, webhook_id);
create index deliveries_urgent_idx on deliveries (webhook_id, due_at) where status = 'pending' and is_urgent;
create index deliveries_webhook_id_idx on deliveries (webhook_id, id);

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
  deep_link_hashes bytea[],
  frames_refused_by bytea,
  constraint destinations_type_check check (type in ('link', 'mail', 'phone')),
  primary key (id)
);
create index destinations_deep_link_hashes_idx on destinations using gin (deep_link_hashes) with (fastupdate=off) where deep_link_hashes is not null;
create unique index destinations_link_key on destinations (link_id, rule_id) nulls not distinct;
create unique index destinations_rule_key on destinations (rule_id) where rule_id is not null;
create index destinations_url_hash_idx on destinations (url_hash) where url_hash is not null;

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
  failed_checks int not null default 0,
  next_check_at timestamptz(3),
  requeued_at timestamptz(3),
  dns jsonb,
  primary key (id)
);
create index domains_fallback_url_idx on domains (hash_of_url(fallback_url)) where fallback_url is not null and deleted_at is null;
create unique index domains_name_key on domains (organization_id, domain) where deleted_at is null;
create index domains_next_check_at_idx on domains (next_check_at) where deleted_at is null;
create index domains_organization_id_idx on domains (organization_id);
create unique index domains_primary_key on domains (organization_id) where is_primary and deleted_at is null;
create index domains_qr_code_id_idx on domains (qr_code_id);
create unique index domains_verified_key on domains (domain) where is_verified and deleted_at is null;

create table event_queue (
  event_id uuid not null,
  primary key (event_id)
);

create table event_scopes (
  event_id uuid not null,
  folder_id uuid not null,
  domain_id uuid not null,
  tag_ids uuid[] not null,
  primary key (event_id)
);

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
  url_key text not null default replace((gen_random_uuid())::text, '-', ''),
  unused_since timestamptz(3) default now(),
  taken_down_at timestamptz(3),
  taken_down_reason text,
  width int,
  height int,
  constraint files_kind_check check (kind in ('meta-tag', 'qr-code')),
  primary key (id)
);
alter table files add constraint files_key_key unique (key);
alter table files add constraint files_url_key_key unique (url_key);
create index files_deleted_at_idx on files (deleted_at) where deleted_at is not null;
create index files_organization_id_idx on files (organization_id);
create index files_unused_since_idx on files (unused_since) where deleted_at is null;

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
create unique index folders_default_key on folders (organization_id) where is_default and deleted_at is null;
create unique index folders_name_key on folders (organization_id, name_key) where deleted_at is null;
create index folders_organization_id_idx on folders (organization_id);

create table hidden_links (
  organization_id uuid not null,
  link_id uuid not null,
  purge_id uuid,
  primary key (organization_id, link_id)
);
create index hidden_links_purge_id_idx on hidden_links (purge_id, link_id) where purge_id is not null;

create unlogged table idempotency_bytes (
  organization_id uuid not null,
  hour_at timestamptz(3) not null,
  bytes bigint not null,
  primary key (organization_id, hour_at)
) with (fillfactor='50');

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
  caller text not null default '',
  primary key (organization_id, route, key)
);
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);

create table import_rows (
  import_id uuid not null,
  "row" int not null,
  fields json,
  state text,
  short_link_id uuid,
  error text,
  constraint import_rows_state_check check (state in ('imported', 'skipped', 'failed')),
  primary key (import_id, "row")
);
create index import_rows_state_idx on import_rows (import_id, state, "row");

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
  bytes int not null default 0,
  removed int not null default 0,
  kept int not null default 0,
  undo_left int,
  undo_row int not null default 0,
  undo_includes_changed boolean not null default false,
  undone_at timestamptz(3),
  encoding text,
  separator text,
  date_orders jsonb,
  constraint imports_state_check check (state in ('pending', 'running', 'completed', 'failed', 'cancelled', 'undoing', 'undone')),
  primary key (id)
);
create index imports_created_at_idx on imports (organization_id, created_at);
create index imports_due_at_idx on imports (due_at) where due_at is not null;
create index imports_finished_at_idx on imports (finished_at) where finished_at is not null;

create table installation (
  key text not null,
  value jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (key)
);

create table invitations (
  id uuid not null,
  organization_id uuid not null,
  email text not null,
  role text not null,
  invited_by_id uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  mail_wanted_at timestamptz(3) not null,
  mailed_at timestamptz(3),
  ended_at timestamptz(3),
  outcome text,
  earlier_mails timestamptz[] not null default '{}',
  key_id uuid,
  constraint invitations_outcome_check check (outcome in ('accepted', 'revoked', 'expired')),
  constraint invitations_role_check check (role in ('owner', 'admin', 'member')),
  primary key (id)
);
create index invitations_expires_at_idx on invitations (expires_at);
create index invitations_invited_by_idx on invitations (invited_by_id);
create index invitations_organization_id_idx on invitations (organization_id);
create unique index invitations_pending_key on invitations (organization_id, email) where ended_at is null;

create table journals (
  id uuid not null,
  segment int not null default 1,
  "position" bigint not null default 0,
  ingested bigint not null default 0,
  rejected bigint not null default 0,
  dropped bigint not null default 0,
  opened_at timestamptz(3) not null default now(),
  ingested_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  counted_at timestamptz(3),
  primary key (id)
);

create table known_devices (
  user_id uuid not null,
  token_hash bytea not null,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (user_id, token_hash)
);
create index known_devices_last_seen_at_idx on known_devices (last_seen_at);

create table link_caps (
  link_id uuid not null,
  granted bigint not null default 0,
  set_at timestamptz(3),
  primary key (link_id)
);

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
  constraint link_changes_caller_check check (caller in ('key', 'member', 'staff')),
  primary key (link_id, number)
);

create table link_counters (
  link_id uuid not null,
  clicks bigint not null default 0,
  last_clicked_at timestamptz(3),
  primary key (link_id)
);

create table link_password_failures (
  link_id uuid not null,
  client text not null,
  failed_at timestamptz[] not null,
  last_failed_at timestamptz not null,
  primary key (link_id, client)
);
create index link_password_failures_last_failed_at_idx on link_password_failures (last_failed_at);

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
create index link_reports_link_id_idx on link_reports (link_id);
create unique index link_reports_open_key on link_reports (link_id) where closed_at is null;
create index link_reports_organization_id_idx on link_reports (organization_id);
create index link_reports_unhandled_idx on link_reports (reported_at) where handled_at is null;

create table link_tags (
  link_id uuid not null,
  tag_id uuid not null,
  "position" int not null,
  primary key (link_id, tag_id)
);
create index link_tags_tag_id_idx on link_tags (tag_id);

create table link_totals (
  organization_id uuid not null,
  shard int not null,
  links bigint not null,
  primary key (organization_id, shard)
);

create table memberships (
  organization_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamptz(3) not null default now(),
  constraint memberships_role_check check (role in ('owner', 'admin', 'member')),
  primary key (organization_id, user_id)
);
create index memberships_user_id_idx on memberships (user_id);

create table meta_tags (
  link_id uuid not null,
  title text,
  description text,
  image_id uuid,
  primary key (link_id)
);
create index meta_tags_image_id_idx on meta_tags (image_id);

create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index oidc_identities_user_id_idx on oidc_identities (user_id);

create table oidc_providers (
  organization_id uuid not null,
  issuer text not null,
  client_id text not null,
  client_secret_sealed bytea not null,
  email_domain text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organization_id)
);
alter table oidc_providers add constraint oidc_providers_email_domain_key unique (email_domain);

create table organizations (
  id uuid not null,
  name text not null,
  plan text not null,
  suspended_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  honours_gpc boolean not null default false,
  threat_policy text not null default 'warn',
  suspension_reason text,
  constraint organizations_plan_check check (plan in ('free', 'premium')),
  constraint organizations_threat_policy_check check (threat_policy in ('warn', 'pass', 'block')),
  primary key (id)
);

create table outbox (
  id bigserial not null,
  kind text not null,
  subject_id uuid not null,
  generation int not null default 1,
  attempts int not null default 0,
  created_at timestamptz(3) not null default now(),
  due_at timestamptz(3) not null default now(),
  parked_at timestamptz(3),
  last_error text,
  lane smallint not null default 0,
  organization_id uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (id)
);
alter table outbox add constraint outbox_subject_key unique (kind, subject_id);
create index outbox_due_idx on outbox (kind, lane, due_at) where parked_at is null;

create table passkeys (
  id uuid not null,
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports jsonb not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  primary key (id)
);
alter table passkeys add constraint passkeys_credential_id_key unique (credential_id);
create index passkeys_user_id_idx on passkeys (user_id);

create table password_resets (
  id uuid not null,
  account bytea not null,
  user_id uuid,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  mailed_at timestamptz(3),
  primary key (id)
);
create index password_resets_account_idx on password_resets (account);
create index password_resets_expires_at_idx on password_resets (expires_at);
create index password_resets_user_id_idx on password_resets (user_id);

create table purges (
  id uuid not null,
  kind text not null,
  organization_id uuid not null,
  links int not null,
  told_to uuid not null,
  deleted_at timestamptz(3) not null,
  due_at timestamptz(3) not null default now(),
  links_removed int not null default 0,
  constraint purges_kind_check check (kind in ('links', 'domain', 'folder', 'organization')),
  primary key (id)
);
create index purges_due_at_idx on purges (due_at);
create index purges_organization_id_idx on purges (organization_id);

create table qr_codes (
  id uuid not null,
  organization_id uuid not null,
  options jsonb not null,
  image_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
create index qr_codes_image_id_idx on qr_codes (image_id);
create index qr_codes_organization_id_idx on qr_codes (organization_id);

create unlogged table rate_windows (
  subject text not null,
  second_at timestamptz(6) not null,
  second_used int not null,
  minute_at timestamptz(6) not null,
  minute_used int not null,
  granted int not null,
  primary key (subject)
) with (fillfactor='50');

create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  created_at timestamptz(3) not null,
  primary key (user_id, code_hash)
);

create table rules (
  id uuid not null,
  link_id uuid not null,
  priority double precision not null,
  "position" int not null,
  countries text[],
  languages text[],
  os_types text[],
  primary key (id)
);
create index rules_link_id_idx on rules (link_id);

create table scan_batches (
  id uuid not null,
  created_at timestamptz(3) not null default now(),
  recorded_at timestamptz(3),
  subject_ids uuid[] not null,
  link_ids uuid[] not null,
  primary key (id)
);
create index scan_batches_created_at_idx on scan_batches (created_at);
create index scan_batches_open_idx on scan_batches (created_at) where recorded_at is null;

create table scan_days (
  organization_id uuid not null,
  day date not null,
  scans int not null,
  is_spent boolean not null,
  primary key (organization_id, day)
);

create table sessions (
  id uuid not null,
  token_hash bytea not null,
  user_id uuid not null,
  organization_id uuid not null,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  browser text,
  os text,
  confirmed_at timestamptz(3) not null default now(),
  second_factor_at timestamptz(3),
  is_by_provider boolean not null default false,
  primary key (id)
);
alter table sessions add constraint sessions_token_hash_key unique (token_hash);
create index sessions_expires_at_idx on sessions (expires_at);
create index sessions_organization_id_idx on sessions (organization_id);
create index sessions_user_id_idx on sessions (user_id);

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
  search_text text not null default '',
  notes text,
  reported_expiry timestamptz(3),
  is_archived boolean not null default false,
  taken_down_at timestamptz(3),
  taken_down_reason text,
  active_before_take_down boolean,
  primary key (id)
);
create index short_links_archived_idx on short_links (organization_id) where is_archived and deleted_at is null;
create index short_links_created_by_idx on short_links (created_by) where created_by is not null;
create index short_links_ends_idx on short_links (organization_id, expires_at) where deleted_at is null and expires_at is not null;
create index short_links_expired_url_idx on short_links (hash_of_url(expired_url)) where expired_url is not null and deleted_at is null;
create index short_links_expiry_idx on short_links (expires_at) where deleted_at is null and expires_at is not null and reported_expiry is distinct from expires_at;
create unique index short_links_external_id_key on short_links (organization_id, external_id) where deleted_at is null and external_id is not null;
create index short_links_folder_id_idx on short_links (folder_id);
create index short_links_organization_id_idx on short_links (organization_id, created_at, id) where deleted_at is null;
create index short_links_qr_code_id_idx on short_links (qr_code_id) where qr_code_id is not null;
create index short_links_search_idx on short_links using gin (organization_id, search_text gin_trgm_ops) with (gin_pending_list_limit='16384') where deleted_at is null;
create unique index short_links_slug_key on short_links (domain_id, replace(slug, U&'\FE0F', '')) where deleted_at is null;

create table sign_in_failures (
  id uuid not null,
  account bytea not null,
  client text not null,
  failed_at timestamptz(3) not null,
  primary key (id)
);
create index sign_in_failures_account_idx on sign_in_failures (account, failed_at);
create index sign_in_failures_failed_at_idx on sign_in_failures (failed_at);

create table spent_challenges (
  id_hash bytea not null,
  expires_at timestamptz(3) not null,
  primary key (id_hash)
);
create index spent_challenges_expires_at_idx on spent_challenges (expires_at);

create table staff_views (
  id uuid not null,
  session_id uuid,
  user_id uuid not null,
  organization_id uuid not null,
  reason text not null,
  began_at timestamptz(3) not null,
  until timestamptz(3) not null,
  primary key (id)
);
create unique index staff_views_session_key on staff_views (session_id);

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
create unique index tags_name_key on tags (organization_id, name_key) where deleted_at is null;
create index tags_organization_id_idx on tags (organization_id);

create table taken_down_names (
  slug_key text not null,
  domain text not null,
  link_id uuid not null,
  organization_id uuid not null,
  taken_down_at timestamptz(3) not null,
  primary key (slug_key, domain)
);
create index taken_down_names_link_id_idx on taken_down_names (link_id);

create table threat_list_chunks (
  threat_type text not null,
  version int not null,
  "position" int not null,
  prefix_size smallint not null,
  prefixes bytea not null,
  primary key (threat_type, version, "position")
);
alter table threat_list_chunks alter column prefixes set storage external;

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

create table threat_notices (
  organization_id uuid not null,
  url_hash bytea not null,
  found_at timestamptz(3) not null default now(),
  mail_id uuid,
  primary key (organization_id, url_hash)
);

create table threat_verdicts (
  url_hash bytea not null,
  url text not null,
  threat_types text[],
  requested_at timestamptz(3) not null default now(),
  scanned_at timestamptz(3),
  expires_at timestamptz(3),
  due_at timestamptz(3),
  lane smallint not null default 0,
  organization_id uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (url_hash)
);
create index threat_verdicts_due_idx on threat_verdicts (due_at) where due_at is not null;
create index threat_verdicts_requested_at_idx on threat_verdicts (requested_at) where due_at is not null and scanned_at is null;

create table totp_factors (
  user_id uuid not null,
  secret_sealed bytea not null,
  last_step bigint not null,
  created_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  last_used_at timestamptz(3),
  primary key (user_id)
);

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
  email_verified_at timestamptz(3),
  constraint users_type_check check (type in ('human', 'bot')),
  primary key (id)
);
create unique index users_email_key on users (email) where deleted_at is null;

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
  primary key (id)
);
create unique index utm_templates_name_key on utm_templates (organization_id, name_key);

create table visitor_keys (
  month text not null,
  key bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (month)
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
  url_key text not null,
  next_probe_at timestamptz(3),
  looked_at timestamptz(3),
  is_pumping boolean not null default false,
  told_at timestamptz(3),
  failing_since timestamptz(3),
  warned_at timestamptz(3),
  last_failure_code int,
  last_failure_error text,
  last_failure_body text,
  pump text,
  pump_process int,
  next_pump text,
  scope_folder_ids uuid[],
  scope_tag_ids uuid[],
  scope_domain_ids uuid[],
  scope_link_ids uuid[],
  header_names text[] not null default '{}',
  headers_sealed bytea,
  is_paused boolean not null default false,
  max_per_second int,
  attempted_at timestamptz(3),
  constraint webhooks_max_per_second_check check (max_per_second >= 1 and max_per_second <= 1000),
  primary key (id)
);
create index webhooks_organization_id_idx on webhooks (organization_id);
create unique index webhooks_url_key on webhooks (organization_id, url_key) where deleted_at is null;

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
  scanner text,
  last_task_at timestamptz(3),
  primary key (id)
);

alter table account_notices add constraint account_notices_user_id_foreign foreign key (user_id) references users(id);
alter table api_keys add constraint api_keys_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table api_keys add constraint api_keys_user_id_foreign foreign key (user_id) references users(id);
alter table destinations add constraint destinations_link_id_foreign foreign key (link_id) references short_links(id);
alter table destinations add constraint destinations_rule_id_foreign foreign key (rule_id) references rules(id) on delete cascade;
alter table domains add constraint domains_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table domains add constraint domains_qr_code_id_foreign foreign key (qr_code_id) references qr_codes(id);
alter table files add constraint files_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table folders add constraint folders_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table import_rows add constraint import_rows_import_id_foreign foreign key (import_id) references imports(id);
alter table imports add constraint imports_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table invitations add constraint invitations_invited_by_id_foreign foreign key (invited_by_id) references users(id) on delete set null;
alter table invitations add constraint invitations_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table known_devices add constraint known_devices_user_id_foreign foreign key (user_id) references users(id);
alter table link_tags add constraint link_tags_link_id_foreign foreign key (link_id) references short_links(id) on update cascade on delete cascade;
alter table link_tags add constraint link_tags_tag_id_foreign foreign key (tag_id) references tags(id) on update cascade on delete cascade;
alter table memberships add constraint memberships_organization_id_foreign foreign key (organization_id) references organizations(id) on update cascade on delete cascade;
alter table memberships add constraint memberships_user_id_foreign foreign key (user_id) references users(id) on update cascade on delete cascade;
alter table meta_tags add constraint meta_tags_image_id_foreign foreign key (image_id) references files(id);
alter table meta_tags add constraint meta_tags_link_id_foreign foreign key (link_id) references short_links(id) on update cascade on delete cascade;
alter table oidc_identities add constraint oidc_identities_user_id_foreign foreign key (user_id) references users(id);
alter table oidc_providers add constraint oidc_providers_organization_id_foreign foreign key (organization_id) references organizations(id) on update cascade on delete cascade;
alter table passkeys add constraint passkeys_user_id_foreign foreign key (user_id) references users(id);
alter table password_resets add constraint password_resets_user_id_foreign foreign key (user_id) references users(id) on delete set null;
alter table qr_codes add constraint qr_codes_image_id_foreign foreign key (image_id) references files(id);
alter table qr_codes add constraint qr_codes_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table recovery_codes add constraint recovery_codes_user_id_foreign foreign key (user_id) references users(id);
alter table rules add constraint rules_link_id_foreign foreign key (link_id) references short_links(id);
alter table sessions add constraint sessions_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table sessions add constraint sessions_user_id_foreign foreign key (user_id) references users(id);
alter table short_links add constraint short_links_domain_id_foreign foreign key (domain_id) references domains(id);
alter table short_links add constraint short_links_folder_id_foreign foreign key (folder_id) references folders(id);
alter table short_links add constraint short_links_qr_code_id_foreign foreign key (qr_code_id) references qr_codes(id);
alter table staff_views add constraint staff_views_session_id_foreign foreign key (session_id) references sessions(id) on delete set null;
alter table tags add constraint tags_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table threat_notices add constraint threat_notices_organization_id_foreign foreign key (organization_id) references organizations(id) on delete cascade;
alter table totp_factors add constraint totp_factors_user_id_foreign foreign key (user_id) references users(id) on update cascade on delete cascade;
alter table utm_templates add constraint utm_templates_organization_id_foreign foreign key (organization_id) references organizations(id);
alter table webhooks add constraint webhooks_organization_id_foreign foreign key (organization_id) references organizations(id);

create trigger count_deleted after delete on short_links referencing old table as old_links for each statement execute function count_deleted_links();
create trigger count_inserted after insert on short_links referencing new table as new_links for each statement execute function count_inserted_links();
create trigger count_none after truncate on short_links for each statement execute function count_no_links();
create trigger count_updated after update on short_links referencing old table as old_links new table as new_links for each statement execute function count_updated_links();
create trigger events_queue after insert on events referencing new table as added for each statement execute function queue_events();

revoke all on function attach_click_month(month text) from public;
revoke all on function create_click_month(month text) from public;
revoke all on function ensure_click_month(month text) from public;
