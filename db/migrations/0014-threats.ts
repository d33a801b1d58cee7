import { Migration } from '@mikro-orm/migrations';

/**
 * Threats at every address that visitors may be sent to: where a link leads once it has expired, and a domain's fallback.
 * Those that are there already are asked about as if they were new. Dangers that somebody is to be told of are noted.
 */
export class Threats extends Migration {
  override up(): void {
    this.addSql(`
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
    `);
  }
}
