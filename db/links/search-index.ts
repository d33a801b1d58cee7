import type { Sql } from '#db/connection/database.ts';

/**
 * Moves new links from the pending list of the search index into its tree. PostgreSQL lists them there, since one link has
 * dozens of trigrams, and the create that fills the list (16 MB, some 10,000 links) would move them all: it waits for 200 ms or more.
 * Several calls at once do the work one after the other.
 */
// By hand: it calls a function of PostgreSQL for an index, after every few thousand creates (bench row C1).
export async function movePendingLinks(sql: Sql): Promise<void> {
  await sql.query(`select gin_clean_pending_list('short_links_search_idx')`);
}
