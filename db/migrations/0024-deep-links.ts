import { Migration } from '@mikro-orm/migrations';
import { webAddressesOf } from '#core/links/deep-link.ts';

interface Row {
  id: string;
  value: string;
  ios: string | null;
  android: string | null;
}

const rowsAtOnce = 1_000;

/**
 * Threats behind deep links: the web addresses that they open have verdicts too. Those that are there already are asked about as
 * if they were new.
 */
export class DeepLinks extends Migration {
  override async up(): Promise<void> {
    // The index by hand: an array is looked up by each of its members.
    await this.execute(`
      alter table destinations add column deep_link_hashes bytea[];
      create index destinations_deep_link_hashes_idx on destinations using gin (deep_link_hashes) with (fastupdate = off)
        where deep_link_hashes is not null;
    `);
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const rows = (await this.execute(
        `select id, value, ios_deep_link as ios, android_deep_link as android from destinations
         where id > ? and (ios_deep_link is not null or android_deep_link is not null) order by id limit ${rowsAtOnce}`,
        [after],
      )) as Row[];
      const last = rows.at(-1);
      if (last === undefined) return;
      await this.fill(rows);
      after = last.id;
    }
  }

  private async fill(rows: readonly Row[]): Promise<void> {
    const urls = rows.flatMap(({ id, value, ios, android }) =>
      [...new Set([ios, android].flatMap((link) => (link === null ? [] : webAddressesOf(link))))]
        .filter((url) => url !== value)
        .map((url) => ({ id, url })),
    );
    if (urls.length === 0) return;
    await this.execute(
      `with led as materialized (select * from jsonb_to_recordset(?::jsonb) as x (id uuid, url text)), asked as (
         insert into threat_verdicts (url_hash, url, due_at)
         select distinct on (hash_of_url(url)) hash_of_url(url), url, now() from led order by hash_of_url(url)
         on conflict (url_hash) do nothing)
       update destinations d set deep_link_hashes = g.hashes
       from (select id, array_agg(hash_of_url(url)) as hashes from led group by id) g where d.id = g.id`,
      [JSON.stringify(urls)],
    );
  }
}
