import { decide } from '#core/routing/decide.ts';
import type { Handler } from '#edge/http/exchange.ts';
import { parseTarget } from '#edge/request-target.ts';
import { createAnswers } from './answers.ts';
import { anyone, type Click, createDecideVisit, type VisitDecision } from './decide-visit.ts';
import { after, createFind, type Found, type FoundLink, type Visit } from './find.ts';
import { createForms } from './forms.ts';
import type { VisitOptions } from './options.ts';

/**
 * Answers GET, HEAD, and the POST of a form, in four steps: find → decide → record → answer. A visit of a link in memory takes no
 * promise and no I/O but the journal's write, which it shares with others.
 */
export function createVisitHandler(options: VisitOptions): Handler {
  const { enricher, journal, botClicks, passwordCookie, notFoundLimit, counts, addressOf, now } = options;
  const find = createFind(options);
  const decideVisit = createDecideVisit(options);
  const answers = createAnswers(options);
  const forms = createForms(options, answers);

  return (request, reply) => {
    const target = parseTarget(request.url!);
    if (target === null) return answers.page(reply, 'badRequest');
    if (request.method !== 'POST' && options.answerSystemPath(target, reply)) {
      counts.visits.ownPath += 1;
      return;
    }
    const visit = { request, reply, target };
    const served = after(find(visit), (found) => serve(visit, found));
    if (served instanceof Promise) served.catch((error: unknown) => answers.failure(visit, error));
  };

  function serve(visit: Visit, found: Found): void | Promise<void> {
    const isPost = visit.request.method === 'POST';
    const retryAfterSeconds = isMiss(found) ? notFoundLimit.take(addressOf(visit.request)) : undefined;
    if (retryAfterSeconds !== undefined) return answers.tooManyMisses(visit.reply, retryAfterSeconds);
    if (found.kind === 'link') return isPost ? takeForm(found) : visitLink(found);
    if (found.kind === 'reportForm' && isPost) return forms.report(visit, found.link);
    if (found.kind !== 'noLink') return answers.found(visit, found);
    if (isPost) return answers.page(visit.reply, 'methodNotAllowed');
    return answers.decision(visit, decide({ ...found, visitor: anyone, nowMs: now() }));
  }

  function visitLink(found: FoundLink, isWarned = false): void | Promise<void> {
    return after(decideVisit(found, isWarned), ({ decision, click }) => record(found.visit, decision, click));
  }

  /** Writes the click, where the visit is one, and answers once it is on disk. A bot is answered at once. */
  function record(visit: Visit, decision: VisitDecision, click: Click | undefined): void {
    if (click === undefined || !('url' in decision)) return answers.decision(visit, decision);
    if (click.visitor.isBot) {
      botClicks.record(click, decision.url);
      return answers.decision(visit, decision);
    }
    const line = enricher.click(click.link, click.visitor, decision.url, click.nowMs);
    journal.append(line, (error) => {
      if (error !== undefined) return answers.failure(visit, error);
      counts.clicks += 1;
      answers.decision(visit, decision);
    });
  }

  /** Takes the form of a link's password, or the one by which a visitor goes on after a warning. */
  function takeForm(found: FoundLink): void | Promise<void> {
    const { domain, link, visit } = found;
    const isWarning = link.threatPolicy === 'warn';
    if (link.passwordHash === null && !isWarning) return answers.page(visit.reply, 'methodNotAllowed');
    const nowMs = now();
    const isAdmitted = isWarning && passwordCookie.isHeld(link, visit.request.headers.cookie, nowMs);
    const decision = decide({ domain, link, visitor: anyone, nowMs, isAdmitted });
    if (decision.kind === 'password') return forms.password(visit, link);
    return isWarning ? goOn(found) : answers.decision(visit, decision);
  }

  /** Shows the warning again where the visitor may not go on; a visitor whom nothing warns has no form to send. */
  async function goOn(found: FoundLink): Promise<void> {
    const form = await forms.warning(found.visit, found.link);
    if (form === undefined) return;
    const { isWarned, visit } = form;
    if (isWarned) return visitLink({ ...found, visit }, isWarned);
    const { decision } = await decideVisit(found, isWarned);
    if ('url' in decision) answers.page(visit.reply, 'methodNotAllowed');
    else answers.decision(visit, decision);
  }
}

/** Whether a visit names what does not exist: the limit of such visits counts it, whatever its answer is (4.15). */
function isMiss(found: Found): boolean {
  return found.kind === 'notFound' || found.kind === 'unknownHost' || (found.kind === 'noLink' && found.link === null);
}
