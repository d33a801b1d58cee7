import type { EntityManager } from '#db/connection/entity-manager.ts';

/**
 * Moves new links from the pending list of the search index into its tree. PostgreSQL lists them there, since one link has
 * dozens of trigrams, and the create that fills the list (16 MB, some 10,000 links) would move them all: it waits for 200 ms or more.
 * Several calls at once do the work one after the other.
 */
export async function movePendingLinks({ kysely }: Pick<EntityManager, 'kysely'>): Promise<void> {
  await kysely
    .selectNoFrom(({ fn, val }) => fn('gin_clean_pending_list', [val('short_links_search_idx')]).as('pages'))
    .execute();
}
