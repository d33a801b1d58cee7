import type { Sql } from '#db/connection/database.ts';
import { movePendingLinks } from '#db/links/search-index.ts';
import type { RelayPart } from './dispatcher.ts';
import { createLoop } from './loop.ts';

// Measured with 2,500 creates a second: some 500 links wait, and moving them takes 20 ms.
const everyMs = 200;

/** Keeps the pending list of the links' search index short, so that no create has to empty it. */
export function createSearchIndexUpkeep({ db, onError }: { db: Sql; onError: (error: Error) => void }): RelayPart {
  const upkeep = createLoop({
    async task() {
      await movePendingLinks(db);
      return false;
    },
    everyMs,
    onError,
  });
  return {
    // Waits for its time: an index is cheaper to fill in larger parts.
    wake() {},
    stop: () => upkeep.stop(),
  };
}
