import type { EntityManager } from '#db/connection/entity-manager.ts';
import { movePendingLinks } from '#db/links/search-index.ts';
import { createLoop, type RelayPart } from './loop.ts';

// Measured (bench row C1): moving a link costs 33 µs among 500, 21 µs among 2,000 and 18 µs among 5,000, since links share
// trigrams. Searches read the links that wait one by one: a second's creates at most.
const everyMs = 1_000;

interface SearchIndexOptions {
  em: Pick<EntityManager, 'kysely'>;
  onError: (error: Error) => void;
}

/** Keeps the pending list of the links' search index short, so that no create has to empty it. */
export function createSearchIndexUpkeep({ em, onError }: SearchIndexOptions): RelayPart {
  const task = async (): Promise<boolean> => {
    await movePendingLinks(em);
    return false;
  };
  // Not woken: an index is cheaper to fill in larger parts.
  return { ...createLoop({ task, everyMs, onError }), wake() {} };
}
