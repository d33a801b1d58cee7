import { securityTxt } from '#core/http/security-txt.ts';
import type { DecisionOf } from '#core/routing/decide.ts';
import type { Reply } from '#edge/http/exchange.ts';
import { JournalError } from '#edge/journal/journal.ts';
import { DatabaseUnreachableError, StatementLateError } from '#edge/lookup/reader.ts';
import { createReportPage, createWarningPage } from '#edge/pages/link-pages.ts';
import {
  sendDecision,
  sendIcon,
  sendJson,
  sendMade,
  sendPage,
  sendRobots,
  sendSecurityTxt,
} from '#edge/pages/respond.ts';
import { refererHost } from '#edge/visitor/enricher.ts';
import type { VisitDecision } from './decide-visit.ts';
import { type Found, TooManyMissesError, type Visit } from './find.ts';
import type { VisitOptions } from './options.ts';

export type Answers = ReturnType<typeof createAnswers>;

type CountedPage = 'badRequest' | 'methodNotAllowed' | 'notFound' | 'reported' | 'unavailable' | 'wrongPassword';

// Reader and journal log these errors once, not at every visit.
const knownErrors = [DatabaseUnreachableError, StatementLateError, JournalError];

/** The last step of a visit: counts each answer by its outcome, and sends it. */
export function createAnswers(options: VisitOptions) {
  const { counts, addressOf, now } = options;
  const { visits } = counts;

  const files = {
    robots: sendRobots,
    icon: sendIcon,
    securityTxt: (reply: Reply) => sendSecurityTxt(reply, securityTxt(options.securityContacts, new Date(now()))),
  };

  /** Answers a client that has asked too often for what does not exist. */
  function tooManyMisses(reply: Reply, retryAfterSeconds: number): void {
    visits.tooManyMisses += 1;
    sendPage(reply, 'tooManyMisses', { 'retry-after': String(retryAfterSeconds) });
  }

  function warn({ request, reply, target }: Visit, warning: DecisionOf<'warning'>): void {
    const pass = options.warningPass.issue(warning.link, addressOf(request), now());
    const go = { pass, path: target.path, referrer: refererHost(request.headers.referer) };
    sendMade(reply, (language) => createWarningPage(warning, language, go));
  }

  function page(reply: Reply, name: CountedPage): void {
    visits[name] += 1;
    sendPage(reply, name);
  }

  return {
    page,
    tooManyMisses,
    decision(visit: Visit, decision: VisitDecision): void {
      visits[decision.kind] += 1;
      if (decision.kind === 'warning') return warn(visit, decision);
      if (decision.kind === 'prefetch') return sendPage(visit.reply, 'unavailable');
      sendDecision(visit.reply, decision, options.fileUrl);
    },
    /** Answers what was found where that is no link. */
    found({ reply }: Visit, found: Exclude<Found, { kind: 'link' | 'noLink' }>): void {
      switch (found.kind) {
        case 'unknownHost':
          visits.unknownHost += 1;
          return sendPage(reply, 'notFound');
        case 'notFound':
        case 'badRequest':
        case 'methodNotAllowed':
          return page(reply, found.kind);
        case 'document':
          visits.document += 1;
          return sendJson(reply, found.json);
        case 'reportForm':
          visits.ownPath += 1;
          return sendMade(reply, (language) => createReportPage(found.domain.domain, found.slug, language));
        case 'robots':
        case 'icon':
        case 'securityTxt':
          visits.ownPath += 1;
          return files[found.kind](reply);
      }
    },
    /** Answers a visit that failed: 503, never 404. */
    failure({ reply }: Visit, error: unknown): void {
      if (error instanceof TooManyMissesError) return tooManyMisses(reply, error.retryAfterSeconds);
      visits.unavailable += 1;
      if (!knownErrors.some((known) => error instanceof known))
        options.log.error({ err: error }, 'a visit could not be answered');
      if (!reply.isSent) sendPage(reply, 'unavailable');
    },
  };
}
