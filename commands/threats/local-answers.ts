import { LRUCache } from 'lru-cache';
import { type LocalAnswers, noLocalAnswers, type ScanAnswer } from '#core/threats/answer.ts';
import { inSlices } from '#core/lib/slices.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ScanDay } from '#db/entities/threats.ts';

/**
 * Finds the answers that this installation knows about URLs without asking a service. Every answer counts as a scan of the
 * organization's day; past that budget there are none.
 */
export type FindLocalAnswers = (organizationId: string, urls: readonly string[]) => Promise<LocalAnswers>;

interface LocalAnswerOptions {
  em: EntityManager;
  /** Answers from memory; undefined: it knows nothing about the URL. */
  lookUp: (url: string) => Promise<ScanAnswer | undefined>;
  /** Scans that an organization may have in a day (UTC). */
  perDay: number;
  now?: () => Date;
}

/** Scans of an organization on a day, by this process and by what the database knew a moment ago. */
interface Day {
  day: string;
  scans: number;
  readAtMs: number;
}

const readEveryMs = 60_000;
const maxOrganizations = 10_000;
// Looked up between two looks at other calls of the process.
const urlsAtOnce = 20;

export function createLocalAnswers({
  em,
  lookUp,
  perDay,
  now = () => new Date(),
}: LocalAnswerOptions): FindLocalAnswers {
  const days = new LRUCache<string, Day>({ max: maxOrganizations });

  async function readDay(organizationId: string): Promise<Day> {
    const at = now();
    const day = at.toISOString().slice(0, 10);
    const known = days.get(organizationId);
    if (known?.day === day && at.getTime() - known.readAtMs < readEveryMs) return known;
    const stored = (await em.fork().findOne(ScanDay, { organizationId, day }))?.scans ?? 0;
    // Answered scans are counted there later, by the relay.
    const scans = known?.day === day ? Math.max(known.scans, stored) : stored;
    const read = { day, scans, readAtMs: at.getTime() };
    days.set(organizationId, read);
    return read;
  }

  return async (organizationId, urls) => {
    if (urls.length === 0) return noLocalAnswers;
    const day = await readDay(organizationId);
    const answers = new Map<string, ScanAnswer>();
    // A call may bring ten thousand URLs.
    for await (const url of inSlices(urls, urlsAtOnce)) {
      if (day.scans >= perDay) break;
      if (answers.has(url)) continue;
      const answer = await lookUp(url);
      if (answer !== undefined) {
        answers.set(url, answer);
        day.scans += 1;
      }
    }
    return answers;
  };
}
