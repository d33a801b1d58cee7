import { follow } from '#adapters/http/follow.ts';
import type { GuardedHttp } from '#adapters/http/guarded-http.ts';
import { refusesFrames } from '#core/links/frames.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { listCloakedLinks, listFramedDestinations, storeFrames } from '#db/frames/frames.ts';
import { notifyLinks } from '#db/notifications/notify.ts';

/** What the destinations of a link said: `unanswered` ones gave no page. */
export interface FrameAnswers {
  asked: number;
  refused: number;
  unanswered: number;
}

export type FrameActivities = ReturnType<typeof createFrameActivities>;

interface FrameDependencies {
  em: EntityManager;
  /** Calls http addresses too. */
  http: Pick<GuardedHttp, 'request'>;
  site: Pick<Site, 'originUrl'>;
}

// Choices: more rules than most links have, and longer than most sites need.
const maxDestinations = 10;
const timeoutMs = 10_000;

export function createFrameActivities({ em, http, site }: FrameDependencies) {
  /** Whether a page refuses frames; undefined: it gave no answer, or another than a page. */
  async function ask(url: string, embedder: URL): Promise<boolean | undefined> {
    try {
      const { url: page, answer, isUnfinished } = await follow(http, url, { timeoutMs });
      if (!isUnfinished && answer.status < 300) return refusesFrames(answer.headers, embedder, page);
    } catch {
      // Of any kind: an address that may not be called, a host that is down.
    }
    return undefined;
  }

  return {
    /** Asks the destinations of a cloaked link, stores what they say and notifies the edges. */
    async askForFrames({ linkId }: { linkId: string }): Promise<FrameAnswers> {
      const answers = { asked: 0, refused: 0, unanswered: 0 };
      const reading = em.fork();
      const [link] = await listCloakedLinks(reading, [linkId]);
      if (link === undefined) return answers;
      const embedder = new URL(site.originUrl(link.domain, link.slug));
      for (const destination of await listFramedDestinations(reading, linkId, maxDestinations)) {
        const isRefused = await ask(destination.url, embedder);
        answers.asked += 1;
        if (isRefused === undefined) {
          answers.unanswered += 1;
          continue;
        }
        if (isRefused) answers.refused += 1;
        await em.fork().transactional(async (em) => {
          if (await storeFrames(em, destination, isRefused)) await notifyLinks(em, [link]);
        });
      }
      return answers;
    },
  };
}
