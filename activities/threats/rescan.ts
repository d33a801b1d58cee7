import { setTimeout } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { withHeartbeat } from '#activities/turn.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { sendThreatMail } from '#commands/threats/threat-mail.ts';
import type { Mailer } from '#core/lib/mail.ts';
import { type Meter, noMeter } from '#core/lib/meter.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { leaveToScans, readRescanPage } from '#db/threats/rescan.ts';
import { createLookups, isFlagged } from './lookups.ts';

/** The times and sizes are for tests. */
export interface RescanDependencies {
  em: EntityManager;
  scanner: ThreatScanner;
  site: Site;
  mailer: Mailer;
  log: Pick<Logger, 'warn'>;
  meter?: Meter;
  concurrency?: number;
  /** Lookups that a rescan begins in a second. */
  perSecond?: number;
  /** Verdicts of a page; the progress is noted after each page. */
  pageSize?: number;
  /** How long an activity goes on before it reports its progress to its workflow. */
  turnMs?: number;
  /** Gap after the first try that failed; each further one is three times as long, 5 min at most. */
  firstGapMs?: number;
}

export interface RescanProgress {
  /** Key (hexadecimal) of the last URL that was looked at; null: of none yet, or of all. */
  after: string | null;
  /** Verdicts looked at page by page, URLs answered, threats among them, and URLs left to ordinary scans. */
  pages: number;
  answered: number;
  flagged: number;
  left: number;
}

export type RescanActivities = ReturnType<typeof createRescanActivities>;

const longestGapMs = 5 * 60_000;
// A longer hint of the service is cut to this.
const longestHintMs = 24 * 60 * 60_000;
// Tries after which a few URLs without an answer are left to ordinary scans, even if no other was answered.
const patienceTries = 4;
// When ordinary scans ask about them.
const leftForMs = 30_000;

export function createRescanActivities({
  em,
  scanner,
  site,
  mailer,
  log,
  meter = noMeter,
  concurrency = 10,
  // Half of what Web Risk allows a project by default (6,000 a minute): new links have the other half.
  perSecond = 50,
  pageSize = 1_000,
  turnMs = 5 * 60_000,
  firstGapMs = 1_000,
}: RescanDependencies) {
  const metric = {
    name: 'waymark_rescan_lookups_total',
    help: 'Lookups of known URLs at the threat scanner, by result.',
  };
  const lookUpAll = createLookups({ em, scanner, site, concurrency, meter, metric });

  return {
    /**
     * Asks again about all URLs but those of threats that still hold, in the order of their keys, for a turn; a retry continues an
     * interrupted one. Fails, to be retried, while the service gives no answers.
     * @returns the progress; `more`: others are left.
     */
    async rescanUrls(from: RescanProgress): Promise<RescanProgress & { more: boolean }> {
      const { cancellationSignal: signal, heartbeat, info } = Context.current();
      // From the last heartbeat of an interrupted try: its page is read again, without the URLs that it had answers for.
      let progress: RescanProgress = (info.heartbeatDetails as RescanProgress | undefined) ?? from;
      const endsAtMs = Date.now() + turnMs;
      // The same moment for all tries: none asks again about a URL that an earlier try had an answer for.
      const askedBefore = new Date(info.scheduledTimestampMs);
      const pace = createPace(perSecond);
      return withHeartbeat(
        async () => {
          for (;;) {
            signal.throwIfAborted();
            const { due, last } = await readRescanPage(em, { after: progress.after, limit: pageSize, askedBefore });
            const { answers, open, error } = await lookUpAll(due, signal, pace);
            signal.throwIfAborted();
            if (open.length > 0) {
              const hintMs = Math.min(longestHintMs, error?.retryAfterMs ?? 0);
              // Few open URLs lie with the URLs; many lie with the service.
              const areFew =
                answers.length > open.length ||
                (open.length <= concurrency && (answers.length > 0 || info.attempt >= patienceTries));
              if (error?.reason === 'exhausted' || !areFew) throw triedAgain(open.length, error, hintMs, info.attempt);
              await leaveToScans(em, open, Math.max(hintMs, leftForMs));
            }
            progress = {
              after: last,
              pages: progress.pages + 1,
              answered: progress.answered + answers.length,
              flagged: progress.flagged + answers.filter(isFlagged).length,
              left: progress.left + open.length,
            };
            if (last === null) return { ...progress, more: false };
            heartbeat(progress);
            if (Date.now() >= endsAtMs) return { ...progress, more: true };
          }
        },
        () => progress,
      );
    },
    /** Mails new threats to the owner of an organization. `more`: others are left for another mail. */
    tellOfThreats: async ({ organizationId }: { organizationId: string }): Promise<{ more: boolean }> => ({
      more: await sendThreatMail(em.fork(), mailer, organizationId, site),
    }),
  };

  function triedAgain(open: number, error: Error | undefined, hintMs: number, attempt: number): ApplicationFailure {
    const gapMs = Math.max(hintMs, Math.min(longestGapMs, firstGapMs * 3 ** (attempt - 1)));
    const reason = error?.message ?? 'no answer';
    log.warn({ open, attempt, gapMs, reason }, 'a rescan waits for the threat scanner');
    return ApplicationFailure.create({
      type: 'ScannerGivesNoAnswers',
      message: `${open} URLs are left open: ${reason}`,
      nextRetryDelay: gapMs,
    });
  }
}

/** Lets callers through at a steady rate; unused time does not accumulate. */
function createPace(perSecond: number): () => Promise<void> {
  const gapMs = 1_000 / perSecond;
  let nextAtMs = 0;
  return async () => {
    const nowMs = performance.now();
    const atMs = Math.max(nextAtMs, nowMs);
    nextAtMs = atMs + gapMs;
    if (atMs > nowMs) await setTimeout(atMs - nowMs);
  };
}
