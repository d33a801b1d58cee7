import type { Journal } from '#edge/journal/journal.ts';
import type { VisitCounts } from '#edge/metrics.ts';
import type { Enricher } from '#edge/visitor/enricher.ts';
import type { Click } from './decide-visit.ts';

export type BotClicks = ReturnType<typeof createBotClicks>;

interface BotClicksOptions {
  enricher: Pick<Enricher, 'botClick'>;
  journal: Pick<Journal, 'append'>;
  /** Bytes of the journal that are not in the database. */
  waitingBytes(): number;
  /** With more than so many waiting, bots' visits are not kept: the room is the clicks'. */
  maxWaitingBytes: number;
  counts: Pick<VisitCounts, 'botClicks' | 'botClicksNotKept'>;
  /** Bots' visits that are kept in a minute: of an organization, and of all. */
  perMinute?: { organization: number; process: number };
}

// Promised (5.10). A crawler that asks for a link ten times a second is kept whole; all of them take 76 GB a month at most.
const promised = { organization: 600, process: 6_000 };
const minuteMs = 60_000;

/** Keeps visits of bots (5.10). Counts the minutes of this process alone: bots whose visits are spread over several processes have the bounds once in each. */
export function createBotClicks(options: BotClicksOptions) {
  const { enricher, journal, waitingBytes, maxWaitingBytes, counts, perMinute = promised } = options;
  let minute = 0;
  let all = 0;
  const ofOrganization = new Map<string, number>();

  function take(organizationId: string, nowMs: number): boolean {
    const present = Math.floor(nowMs / minuteMs);
    if (present !== minute) {
      minute = present;
      all = 0;
      ofOrganization.clear();
    }
    const own = ofOrganization.get(organizationId) ?? 0;
    if (all >= perMinute.process || own >= perMinute.organization) return false;
    all += 1;
    ofOrganization.set(organizationId, own + 1);
    return true;
  }

  return {
    /** Writes a visit to the journal where its bounds allow it; no answer waits for that. */
    record(click: Click, url: string): void {
      if (waitingBytes() > maxWaitingBytes || !take(click.link.organizationId, click.nowMs)) {
        counts.botClicksNotKept += 1;
        return;
      }
      journal.append(enricher.botClick(click.link, click.visitor, url, click.nowMs), (error) => {
        if (error === undefined) counts.botClicks += 1;
        else counts.botClicksNotKept += 1;
      });
    },
  };
}
