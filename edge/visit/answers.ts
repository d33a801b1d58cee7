import type { Logger } from 'pino';
import { securityTxt } from '#core/http/security-txt.ts';
import type { DecisionOf } from '#core/routing/decide.ts';
import type { Reply, VisitRequest } from '#edge/http/exchange.ts';
import { JournalError } from '#edge/journal/journal.ts';
import { DatabaseUnreachableError, StatementLateError } from '#edge/lookup/reader.ts';
import type { VisitCounts } from '#edge/metrics.ts';
import type { ClientLimit } from '#core/limits/client-limit.ts';
import {
  sendDecision,
  sendIcon,
  sendJson,
  sendPage,
  sendReportForm,
  sendRobots,
  sendSecurityTxt,
  sendWarning,
} from '#edge/pages/respond.ts';
import type { WarningPass } from '#edge/pages/warning-pass.ts';
import type { VisitDecision } from './decide-visit.ts';
import { type Found, TooManyMissesError, type Visit } from './find.ts';

/** The last step of a visit: counts each answer by its outcome, and sends it. */
export interface Answers {
  decision(visit: Visit, decision: VisitDecision): void;
  /** Answers what was found where that is no link. */
  found(visit: Visit, found: Exclude<Found, { kind: 'link' | 'noLink' }>): void;
  page(reply: Reply, name: 'badRequest' | 'methodNotAllowed' | 'reported' | 'unavailable' | 'wrongPassword'): void;
  /** Answers a visit that failed: 503, never 404. */
  failure(visit: Visit, error: unknown): void;
}

interface AnswerOptions {
  counts: VisitCounts;
  notFoundLimit: Pick<ClientLimit, 'take'>;
  warningPass: Pick<WarningPass, 'issue'>;
  addressOf(request: VisitRequest): string;
  /** The public address of a stored file. */
  fileUrl(key: string): string;
  /** The contacts in security.txt, as URIs. */
  securityContacts: readonly string[];
  log: Pick<Logger, 'error'>;
  /** Unix time in milliseconds. */
  now(): number;
}

// Reader and journal log these errors once, not at every visit.
const knownErrors = [DatabaseUnreachableError, StatementLateError, JournalError];

export function createAnswers(options: AnswerOptions): Answers {
  const { counts, addressOf, now } = options;
  const { visits } = counts;

  const files = {
    robots: sendRobots,
    icon: sendIcon,
    securityTxt: (reply: Reply) => sendSecurityTxt(reply, securityTxt(options.securityContacts, new Date(now()))),
  };

  /** Answers 404, or 429 to a client with too many of them. */
  function miss({ request, reply }: Visit, outcome: 'notFound' | 'unknownHost'): void {
    const retryAfterSeconds = options.notFoundLimit.take(addressOf(request));
    if (retryAfterSeconds !== undefined) return refuseMisses(reply, retryAfterSeconds);
    visits[outcome] += 1;
    sendPage(reply, 'notFound');
  }

  function refuseMisses(reply: Reply, retryAfterSeconds: number): void {
    visits.tooManyMisses += 1;
    sendPage(reply, 'tooManyMisses', { 'retry-after': String(retryAfterSeconds) });
  }

  function warn({ request, reply, target }: Visit, warning: DecisionOf<'warning'>): void {
    const pass = options.warningPass.issue(warning.link, addressOf(request), now());
    sendWarning(reply, warning, { pass, path: target.path });
  }

  function page(reply: Reply, name: Parameters<Answers['page']>[1]): void {
    visits[name] += 1;
    sendPage(reply, name);
  }

  return {
    page,
    decision(visit, decision) {
      if (decision.kind === 'notFound') return miss(visit, 'notFound');
      visits[decision.kind] += 1;
      if (decision.kind === 'warning') return warn(visit, decision);
      if (decision.kind === 'prefetch') return sendPage(visit.reply, 'unavailable');
      sendDecision(visit.reply, decision, options.fileUrl);
    },
    found(visit, found) {
      const { reply } = visit;
      switch (found.kind) {
        case 'notFound':
        case 'unknownHost':
          return miss(visit, found.kind);
        case 'badRequest':
        case 'methodNotAllowed':
          return page(reply, found.kind);
        case 'document':
          visits.document += 1;
          return sendJson(reply, found.json);
        case 'reportForm':
          visits.ownPath += 1;
          return sendReportForm(reply, found.domain.domain, found.slug);
        case 'robots':
        case 'icon':
        case 'securityTxt':
          visits.ownPath += 1;
          return files[found.kind](reply);
      }
    },
    failure({ reply }, error) {
      if (error instanceof TooManyMissesError) return refuseMisses(reply, error.retryAfterSeconds);
      visits.unavailable += 1;
      if (!knownErrors.some((known) => error instanceof known))
        options.log.error({ err: error }, 'a visit could not be answered');
      if (!reply.isSent) sendPage(reply, 'unavailable');
    },
  };
}
