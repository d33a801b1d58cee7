import { batchBySubject } from '#core/limits/batch-by-subject.ts';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import type { Sql } from '#db/connection/database.ts';
import { takeClicks } from '#db/links/visits/click-caps.ts';

/**
 * Takes a click of a link's cap; a visit that does not count only reads whether the cap is used up.
 * @throws (rejects) DatabaseUnreachableError: a cap cannot be checked without the database. Whether a click was taken is unknown
 * then, and it counts as taken.
 */
export type Caps = (link: CompiledLink, isClick: boolean) => Promise<'granted' | 'spent'>;

/** Takes clicks of caps in the database, for many visitors in one statement. The database decides, so caps hold over all processes. */
export function createCaps(sql: Sql): Caps {
  const take = batchBySubject((linkId, count) => takeClicks(sql, linkId, count));
  const look = batchBySubject((linkId) => takeClicks(sql, linkId, 0));
  // A raised cap arrives with a link that is read again, which is another object.
  const spent = new WeakSet<CompiledLink>();
  return async (link, isClick) => {
    if (spent.has(link)) return 'spent';
    const isGranted = isClick ? (await take(link.id)).ok : (await look(link.id)).grant.left > 0;
    if (isGranted) return 'granted';
    spent.add(link);
    return 'spent';
  };
}
