import pLimit from 'p-limit';
import { ScanError, type ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import type { Site } from '#core/links/site.ts';
import type { Database } from '#db/connection/database.ts';
import type { ScanSubject, StoredVerdict } from '#db/threats/verdicts.ts';

export interface LookupDependencies {
  db: Database;
  scanner: ThreatScanner;
  site: Site;
  /** Lookups under way at once. */
  concurrency: number;
}

/** The outcome of lookups: stored answers, the hashes of URLs without one, and the last error. */
export interface LookupRound {
  answers: StoredVerdict[];
  open: string[];
  error: ScanError | undefined;
}

/** Looks URLs up, and stores what is found. */
export interface Lookups {
  /** Lookups so far, by result. */
  readonly counts: Readonly<Record<'clean' | 'flagged' | 'refused' | 'failed', number>>;
  /**
   * Looks up some URLs, a few at a time. Ends early where the service is plainly unreachable, or asks to be left alone.
   * @param pace waited for before each lookup.
   */
  lookUpAll(subjects: readonly ScanSubject[], signal: AbortSignal, pace?: () => Promise<void>): Promise<LookupRound>;
}

// A URL that the service refuses is not asked about again for a day.
const refusedForMs = 24 * 60 * 60 * 1_000;

export function createLookups({ db, scanner, site, concurrency }: LookupDependencies): Lookups {
  const counts = { clean: 0, flagged: 0, refused: 0, failed: 0 };

  return {
    counts,
    async lookUpAll(subjects, signal, pace) {
      const round: LookupRound = { answers: [], open: [], error: undefined };
      let stop = false;
      const store = createStore();
      await pLimit(concurrency).map(subjects, async (subject) => {
        if (!stop && !signal.aborted) await pace?.();
        if (stop || signal.aborted) {
          round.open.push(subject.urlHash);
          return;
        }
        try {
          const answer = await lookUp(subject, signal);
          round.answers.push(answer);
          store.add(answer);
        } catch (cause) {
          if (!(cause instanceof ScanError)) throw cause;
          counts.failed += 1;
          round.open.push(subject.urlHash);
          round.error = cause;
          stop ||= cause.reason === 'exhausted' || (round.answers.length === 0 && round.open.length >= concurrency);
        }
      });
      await store.done();
      return round;
    },
  };

  async function lookUp({ urlHash, url }: ScanSubject, signal: AbortSignal): Promise<StoredVerdict> {
    try {
      const answer = await scanner.lookup(url, signal);
      counts[answer.threatTypes.length > 0 ? 'flagged' : 'clean'] += 1;
      return { urlHash, ...answer };
    } catch (error) {
      if (!(error instanceof ScanError) || error.reason !== 'refused') throw error;
      counts.refused += 1;
      return { urlHash, threatTypes: null, expiresAt: new Date(Date.now() + refusedForMs) };
    }
  }

  /** Stores answers as they come, one transaction at a time: a slow lookup must not hold up the other verdicts. */
  function createStore(): { add(verdict: StoredVerdict): void; done(): Promise<void> } {
    let waiting: StoredVerdict[] = [];
    let tail = Promise.resolve();
    let failure: Error | undefined;
    const storeWaiting = async (): Promise<void> => {
      const batch = waiting;
      waiting = [];
      await storeVerdicts(db, batch, site).catch((error: Error) => {
        failure = error;
      });
    };
    return {
      add(verdict) {
        waiting.push(verdict);
        // Answers that gather behind a transaction under way go into the next one.
        tail = tail.then(storeWaiting);
      },
      async done() {
        await tail;
        if (failure !== undefined) throw failure;
      },
    };
  }
}
