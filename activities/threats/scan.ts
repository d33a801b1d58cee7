import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { withHeartbeat } from '#activities/turn.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { announcements, reportKnownThreats } from '#commands/threats/verdicts.ts';
import { type Meter, noMeter } from '#core/lib/meter.ts';
import type { Site } from '#core/links/site.ts';
import type { Database } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { channels, notify } from '#db/notifications/notify.ts';
import { answerDueMs, extendDue, findVerdicts, postponeRows } from '#db/threats/verdicts.ts';
import { createLookups, isFlagged } from './lookups.ts';

/** The times are for tests. */
interface ScanDependencies {
  db: Database;
  em: EntityManager;
  scanner: ThreatScanner;
  site: Site;
  log: Pick<Logger, 'debug' | 'warn'>;
  meter?: Meter;
  /** Gap after the first try; each further one is three times as long, 20 s at most. */
  firstGapMs?: number;
  /** How long tries go on before open URLs are put off. */
  horizonMs?: number;
}

interface ScanInput {
  urlHashes: string[];
  destinationIds: string[];
}

/** URLs answered, threats among them, and URLs left open. */
export interface ScanOutcome {
  answered: number;
  flagged: number;
  open: number;
  /** When the first open URL is asked about again, ISO 8601. */
  nextAt?: string;
}

export type ScanActivities = ReturnType<typeof createScanActivities>;

// Lookups under way at once in one scan.
const concurrency = 10;
const longestGapMs = 20_000;
// Beyond this hint the rows wait, not the workflow.
const longestHintMs = 60_000;
// Tries after which a URL that fails while others are answered is put off, so that it does not hold up a batch.
const patienceTries = 4;

export function createScanActivities({
  db,
  em,
  scanner,
  site,
  log,
  meter = noMeter,
  firstGapMs = 500,
  horizonMs = 150_000,
}: ScanDependencies) {
  let lastAnswerAtMs = 0;
  const metric = { name: 'waymark_scan_lookups_total', help: 'Lookups of URLs at the threat scanner, by result.' };
  const lookUpAll = createLookups({ em, scanner, site, concurrency, meter, metric });

  return {
    /**
     * Looks up URLs by the hashes of their rows and stores each answer at once. URLs that are known by now are only announced, and
     * links that had no event of such a threat yet get one. Fails, to be retried, while URLs are left open; puts them off when that
     * goes on too long.
     */
    async scanUrls({ urlHashes, destinationIds }: ScanInput): Promise<ScanOutcome> {
      const { info, cancellationSignal } = Context.current();
      const found = await findVerdicts(em.fork(), urlHashes);
      // In the order given, which is that of the turns.
      const rows = found.toSorted((one, other) => urlHashes.indexOf(one.urlHash) - urlHashes.indexOf(other.urlHash));
      const known = rows.filter((row) => row.fresh);
      for (const payload of announcements(known)) await notify(db, channels.verdicts, payload);
      // Stale ones too: storing the same answer again reports no link.
      const threats = rows.filter(isFlagged).map(({ urlHash }) => urlHash);
      await reportKnownThreats(em, { destinationIds, urlHashes: threats }, site);
      const open = rows.filter((row) => !row.fresh);
      const round = await withHeartbeat(() => lookUpAll(open, cancellationSignal));
      log.debug({ answered: round.answers.length, open: round.open.length }, 'URLs were looked up');
      if (round.answers.length > 0) lastAnswerAtMs = Date.now();

      const all = [...known, ...round.answers];
      const outcome = {
        answered: all.length,
        flagged: all.filter(isFlagged).length,
        open: round.open.length,
      };
      if (round.open.length === 0) return outcome;
      // Reports the cancellation as such: another worker takes the open URLs.
      if (cancellationSignal.aborted) await Context.current().cancelled;

      const { attempt, scheduledTimestampMs } = info;
      const hintMs = round.error?.retryAfterMs ?? 0;
      const gapMs = Math.max(hintMs, Math.min(longestGapMs, firstGapMs * 3 ** (attempt - 1)));
      const othersAnswered = attempt >= patienceTries && lastAnswerAtMs >= scheduledTimestampMs;
      const isLate = Date.now() + gapMs - scheduledTimestampMs > horizonMs;
      const reason = round.error?.message ?? 'no answer';
      log.warn({ open: round.open.length, attempt, reason }, 'URLs are left without a verdict for now');
      if (hintMs > longestHintMs || othersAnswered || isLate) {
        const next = await postponeRows(em.fork(), round.open, hintMs);
        return next === undefined ? outcome : { ...outcome, nextAt: next.toISOString() };
      }
      // Keeps the reconciler off the rows until the next try has ended.
      await extendDue(em.fork(), round.open, gapMs + answerDueMs);
      throw ApplicationFailure.create({
        type: 'UrlsLeftOpen',
        message: `${round.open.length} of ${urlHashes.length} URLs are left open: ${reason}`,
        nextRetryDelay: gapMs,
      });
    },
  };
}
