import { sumBatches, takeTurn } from '#activities/turn.ts';
import { reportExpired } from '#commands/links/expire.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Activities of `housekeeping` that look for links whose end has passed. */
export type ExpiryActivities = ReturnType<typeof createExpiryActivities>;

const turnMs = 5 * 60_000;

/** `linksAtOnce` is for tests. */
interface ExpiryDependencies {
  em: EntityManager;
  site: Pick<Site, 'originUrl'>;
  linksAtOnce?: number;
}

export function createExpiryActivities({
  em,
  site,
  // A transaction of some 50 ms.
  linksAtOnce: limit = 500,
}: ExpiryDependencies) {
  return {
    /** Writes `link.expired` for links whose end has passed, for a turn. `more`: there are others, for the next run. */
    reportExpiredLinks: (): Promise<{ reported: number; more: boolean }> =>
      takeTurn({ turnMs, sql: em }, async (turn) => {
        const { count, more } = await sumBatches(turn, { what: 'links reported', limit }, () =>
          em.fork().transactional((em) => reportExpired(em, { site, now: new Date(), limit })),
        );
        return { reported: count, more };
      }),
  };
}
