import { Migration } from '@mikro-orm/migrations';

/** Slugs that are equal but for U+FE0F are the same slug (3.3). The index by hand: it is on an expression. */
export class SlugKeys extends Migration {
  override up(): void {
    this.addSql(`
      do $$
      declare
        same text;
      begin
        select string_agg(slugs, '; ') into same from (
          select d.domain || ': ' || string_agg(quote_ident(l.slug) || ' (' || l.id || ')', ', ' order by l.id) as slugs
          from short_links l join domains d on d.id = l.domain_id
          where l.deleted_at is null
          group by d.id, d.domain, replace(l.slug, U&'\\FE0F', '')
          having count(*) > 1 limit 20) found;
        if same is not null then
          raise exception 'Some links have slugs that differ by U+FE0F alone, which now counts as the same slug. '
            'Give all but one of each another slug with the version before, then migrate again. %', same;
        end if;
      end $$;
      drop index short_links_slug_key;
      create unique index short_links_slug_key on short_links (domain_id, replace(slug, U&'\\FE0F', ''))
        where deleted_at is null;
    `);
  }
}
