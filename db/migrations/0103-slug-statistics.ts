import { Migration } from '@mikro-orm/migrations';

/**
 * Lets PostgreSQL know how many links have the key of a slug. It does not use what it knows of a partial index for this, and guessed
 * a twentieth of a domain's links for each look-up, so that the edge's reads scanned all destinations.
 */
export class SlugStatistics extends Migration {
  override up(): void {
    this.addSql(`create statistics short_links_slug_statistics on (replace(slug, U&'\\FE0F', '')) from short_links`);
    this.addSql('analyze short_links');
  }
}
