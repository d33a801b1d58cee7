import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { ScanError, type ThreatScanner } from '../adapters/threat-scanner.ts';
import { announcements, storeVerdicts } from '../commands/verdicts.ts';
import { type Meter, noMeter, samplesOf } from '../core/meter.ts';
import type { Sql } from '../db/database.ts';
import { channels, notify } from '../db/notify.ts';
import {
  answerDueMs,
  extendDue,
  findVerdicts,
  postponeRows,
  type ScanSubject,
  type StoredVerdict,
} from '../db/verdicts.ts';

/** What `createScanActivities` is built from; the times are for tests. */
export interface ScanDependencies {
  sql: Sql;
  scanner: ThreatScanner;
  log: Pick<Logger, 'debug' | 'warn'>;
  meter?: Meter;
  /** Lookups under way at once in one scan. */
  concurrency?: number;
  /** Gap after the first try; each further one is three times as long, 20 s at most. */
  firstGapMs?: number;
  /** How long tries go on before what is left is put off. */
  horizonMs?: number;
}

/** What became of a scan's URLs. */
export interface ScanOutcome {
  answered: number;
  flagged: number;
  open: number;
}

/** Activities of `threatScan`. */
export interface ScanActivities {
  /**
   * Looks up URLs by the hashes of their rows and stores what is found at once; URLs that are known by now are only
   * announced. Fails, to be tried again, while URLs are left open; ends with them put off when that goes on too long.
   */
  scanUrls(input: { urlHashes: string[] }): Promise<ScanOutcome>;
}

const heartbeatEveryMs = 1_000;
const longestGapMs = 20_000;
// A hint beyond this is not waited for by the workflow: the rows wait.
const longestHintMs = 60_000;
// Tries after which a URL that fails while others are answered is put off, so that it does not hold up a batch.
const patienceTries = 4;
// A URL that the service refuses is not asked about again for a day.
const refusedForMs = 24 * 60 * 60 * 1_000;

/** Makes the activities of `threatScan`. */
export function createScanActivities({
  sql,
  scanner,
  log,
  meter = noMeter,
  concurrency = 10,
  firstGapMs = 500,
  horizonMs = 150_000,
}: ScanDependencies): ScanActivities {
  let lastAnswerAtMs = 0;
  const lookups = { clean: 0, flagged: 0, refused: 0, failed: 0 };
  meter.counter(
    'waymark_scan_lookups_total',
    'Lookups of URLs at the threat scanner, by result.',
    () => samplesOf('result', lookups),
    ['result'],
  );

  return {
    async scanUrls({ urlHashes }) {
      const { info, cancellationSignal } = Context.current();
      const rows = await findVerdicts(sql, urlHashes);
      const known = rows.filter((row) => row.fresh);
      for (const payload of announcements(known)) await notify(sql, channels.verdicts, payload);
      const round = await lookUpAll(
        rows.filter((row) => !row.fresh),
        cancellationSignal,
      );
      if (round.answers.length > 0) lastAnswerAtMs = Date.now();

      const all = [...known, ...round.answers];
      const outcome = {
        answered: all.length,
        flagged: all.filter(({ threatTypes }) => threatTypes !== null && threatTypes.length > 0).length,
        open: round.open.length,
      };
      if (round.open.length === 0) return outcome;
      // Waits for the cancellation to be known as such: what is open goes to another worker.
      if (cancellationSignal.aborted) await Context.current().cancelled;

      const { attempt, scheduledTimestampMs } = info;
      const hintMs = round.error?.retryAfterMs ?? 0;
      const gapMs = Math.max(hintMs, Math.min(longestGapMs, firstGapMs * 3 ** (attempt - 1)));
      const othersAnswered = attempt >= patienceTries && lastAnswerAtMs >= scheduledTimestampMs;
      const isLate = Date.now() + gapMs - scheduledTimestampMs > horizonMs;
      const reason = round.error?.message ?? 'no answer';
      log.warn({ open: round.open.length, attempt, reason }, 'URLs are left without a verdict for now');
      if (hintMs > longestHintMs || othersAnswered || isLate) {
        await postponeRows(sql, round.open, hintMs);
        return outcome;
      }
      // The rows are in hand until the next try is through.
      await extendDue(sql, round.open, gapMs + answerDueMs);
      throw ApplicationFailure.create({
        type: 'UrlsLeftOpen',
        message: `${round.open.length} of ${urlHashes.length} URLs are left open: ${reason}`,
        nextRetryDelay: gapMs,
      });
    },
  };

  /** Looks up some URLs, a few at a time. Ends early where the service is plainly away, or asks to be left alone. */
  async function lookUpAll(
    subjects: readonly ScanSubject[],
    signal: AbortSignal,
  ): Promise<{ answers: StoredVerdict[]; open: string[]; error: ScanError | undefined }> {
    const queue = [...subjects];
    const answers: StoredVerdict[] = [];
    const open: string[] = [];
    let error: ScanError | undefined;
    let stop = false;
    const store = createStore();
    const heartbeat = setInterval(() => Context.current().heartbeat({ answered: answers.length }), heartbeatEveryMs);

    const work = async (): Promise<void> => {
      for (let subject = queue.shift(); subject !== undefined; subject = queue.shift()) {
        if (stop || signal.aborted) {
          open.push(subject.urlHash);
          continue;
        }
        try {
          const answer = await lookUp(subject, signal);
          answers.push(answer);
          store.add(answer);
        } catch (cause) {
          if (!(cause instanceof ScanError)) throw cause;
          lookups.failed += 1;
          open.push(subject.urlHash);
          error = cause;
          stop ||= cause.reason === 'exhausted' || (answers.length === 0 && open.length >= concurrency);
        }
      }
    };

    try {
      await Promise.all(Array.from({ length: Math.min(concurrency, queue.length) }, work));
      await store.done();
    } finally {
      clearInterval(heartbeat);
    }
    log.debug({ answered: answers.length, open: open.length }, 'URLs were looked up');
    return { answers, open, error };
  }

  async function lookUp({ urlHash, url }: ScanSubject, signal: AbortSignal): Promise<StoredVerdict> {
    try {
      const answer = await scanner.lookup(url, signal);
      lookups[answer.threatTypes.length > 0 ? 'flagged' : 'clean'] += 1;
      return { urlHash, ...answer };
    } catch (error) {
      if (!(error instanceof ScanError) || error.reason !== 'refused') throw error;
      lookups.refused += 1;
      return { urlHash, threatTypes: null, expiresAt: new Date(Date.now() + refusedForMs) };
    }
  }

  /** Stores answers as they come, one statement at a time, so that a slow lookup does not hold up the others' verdicts. */
  function createStore(): { add(verdict: StoredVerdict): void; done(): Promise<void> } {
    let waiting: StoredVerdict[] = [];
    let tail = Promise.resolve();
    let failure: Error | undefined;
    const storeWaiting = async (): Promise<void> => {
      const batch = waiting;
      waiting = [];
      await storeVerdicts(sql, batch).catch((error: Error) => {
        failure = error;
      });
    };
    return {
      add(verdict) {
        waiting.push(verdict);
        // What gathers behind a statement under way goes into the next one.
        tail = tail.then(storeWaiting);
      },
      async done() {
        await tail;
        if (failure !== undefined) throw failure;
      },
    };
  }
}
