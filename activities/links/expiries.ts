import { figure, takeTurn, untilDone } from '#activities/turn.ts';
import { reportExpired } from '#commands/links/expire.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Activities of `housekeeping` that look for links whose end has passed. */
export interface ExpiryActivities {
  /** Writes `link.expired` for links whose end has passed, for a turn. `more`: there are others, for the next run. */
  reportExpiredLinks(): Promise<{ reported: number; more: boolean }>;
}

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
  linksAtOnce = 500,
}: ExpiryDependencies): ExpiryActivities {
  return {
    reportExpiredLinks: () =>
      takeTurn({ turnMs, sql: em }, async (turn) => {
        let reported = 0;
        const report = async (): Promise<{ more: boolean }> => {
          const options = { site, now: new Date(), limit: linksAtOnce };
          const count = await em.fork().transactional((em) => reportExpired(em, options));
          reported += count;
          turn.show(`${figure(reported)} links reported`);
          return { more: count === linksAtOnce };
        };
        const isDone = await untilDone(turn, report);
        return { reported, more: !isDone };
      }),
  };
}
