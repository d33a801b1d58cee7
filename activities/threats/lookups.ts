import pLimit from 'p-limit';
import { ScanError, type ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { type Meter, samplesOf } from '#core/lib/meter.ts';
import type { ScanAnswer } from '#core/threats/answer.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { ScanSubject, StoredVerdict } from '#db/threats/verdicts.ts';

interface LookupDependencies {
  em: EntityManager;
  scanner: ThreatScanner;
  site: Site;
  /** Lookups under way at once. */
  concurrency: number;
  meter: Meter;
  /** The metric of these lookups, by result. */
  metric: { name: string; help: string };
}

/** The outcome of lookups: stored answers, the hashes of URLs without one, and the last error. */
interface LookupRound {
  answers: StoredVerdict[];
  open: string[];
  error: ScanError | undefined;
}

/**
 * Looks up some URLs, and stores what is found: first the URLs that the scanner can answer from memory, then the others, a few at a time.
 * Ends early where the service is plainly unreachable, or asks to be left alone.
 * @param pace waited for before each lookup that may ask the service.
 */
type LookUpAll = (
  subjects: readonly ScanSubject[],
  signal: AbortSignal,
  pace?: () => Promise<void>,
) => Promise<LookupRound>;

// A URL that the service refuses is not asked about again for a day.
const refusedForMs = 24 * 60 * 60 * 1_000;

export function createLookups({ em, scanner, site, concurrency, meter, metric }: LookupDependencies): LookUpAll {
  const counts = { clean: 0, flagged: 0, refused: 0, failed: 0 };
  meter.counter(metric.name, metric.help, () => samplesOf('result', counts), ['result']);

  return async (subjects, signal, pace) => {
    const round: LookupRound = { answers: [], open: [], error: undefined };
    let stop = false;
    const waiting: StoredVerdict[] = [];
    let stored = Promise.resolve();
    let failure: unknown;
    /** One transaction at a time: a slow lookup must not hold up other verdicts. Answers that gather meanwhile go into the next one. */
    const store = (answers: readonly StoredVerdict[]): void => {
      waiting.push(...answers);
      stored = stored
        .then(() => storeVerdicts(em, waiting.splice(0), site))
        .catch((error: unknown) => void (failure = error));
    };
    const asked: ScanSubject[] = [];
    for (const subject of subjects) {
      const known = await scanner.lookUpLocally?.(subject.url);
      if (known === undefined) asked.push(subject);
      else round.answers.push(answer(subject, known));
    }
    store(round.answers);
    await pLimit(concurrency).map(asked, async (subject) => {
      if (!stop && !signal.aborted) await pace?.();
      if (stop || signal.aborted) {
        round.open.push(subject.urlHash);
        return;
      }
      try {
        const found = await lookUp(subject, signal);
        round.answers.push(found);
        store([found]);
      } catch (cause) {
        if (!(cause instanceof ScanError)) throw cause;
        counts.failed += 1;
        round.open.push(subject.urlHash);
        round.error = cause;
        const isSilent = round.answers.length === subjects.length - asked.length;
        stop ||= cause.reason === 'exhausted' || (isSilent && round.open.length >= concurrency);
      }
    });
    await stored;
    if (failure !== undefined) throw failure;
    return round;
  };

  async function lookUp(subject: ScanSubject, signal: AbortSignal): Promise<StoredVerdict> {
    try {
      return answer(subject, await scanner.lookup(subject.url, signal));
    } catch (error) {
      if (!(error instanceof ScanError) || error.reason !== 'refused') throw error;
      counts.refused += 1;
      return { urlHash: subject.urlHash, threatTypes: null, expiresAt: new Date(Date.now() + refusedForMs) };
    }
  }

  function answer({ urlHash }: ScanSubject, verdict: ScanAnswer): StoredVerdict {
    counts[isFlagged(verdict) ? 'flagged' : 'clean'] += 1;
    return { urlHash, ...verdict };
  }
}

export function isFlagged({ threatTypes }: Pick<StoredVerdict, 'threatTypes'>): boolean {
  return threatTypes !== null && threatTypes.length > 0;
}
