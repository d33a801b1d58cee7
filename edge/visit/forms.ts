import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { readForm } from '#edge/form.ts';
import type { VisitRequest } from '#edge/http/exchange.ts';
import { createTooManyTriesPage } from '#edge/pages/link-pages.ts';
import { sendMade, sendPage, sendPasswordAccepted } from '#edge/pages/respond.ts';
import type { Answers } from './answers.ts';
import type { Visit } from './find.ts';
import type { VisitOptions } from './options.ts';

/** The form by which a visitor goes on after a warning. */
interface WarningForm {
  /** Whether the visitor may go on: with a valid pass, by a form of this host. */
  readonly isWarned: boolean;
  /** The visit that the visitor began: from the page with the link. */
  readonly visit: Visit;
}

/** Takes the forms that visitors send. Each form is answered, but a warning that was read is followed by the visit. */
export function createForms(options: VisitOptions, answers: Answers) {
  const { addressOf, now } = options;
  const { visits } = options.counts;

  return {
    async password(visit: Visit, link: CompiledLink): Promise<void> {
      const { request, reply, target } = visit;
      const form = await readForm(request);
      const password = form?.get('password') ?? null;
      // The cookie has expired while the visitor read the warning.
      if (password === null && form?.has('pass') === true) return answers.decision(visit, { kind: 'password' });
      if (password === null) return answers.page(reply, 'badRequest');
      const result = await options.passwordAttempts(link, password, addressOf(request));
      if (result === 'wrong') return answers.page(reply, 'wrongPassword');
      if (result === 'busy') return answers.page(reply, 'unavailable');
      if (result !== 'right') {
        visits.tooManyTries += 1;
        return sendMade(reply, (language) => createTooManyTriesPage(result.retryAfterSeconds, language));
      }
      visits.admitted += 1;
      const path = target.path.replace(/\/$/, '');
      const self = target.query === '' ? target.path : `${target.path}?${target.query}`;
      return sendPasswordAccepted(reply, self, options.passwordCookie.issue(link, path, now()));
    },
    /** @returns undefined: the form was answered. */
    async warning(visit: Visit, link: CompiledLink): Promise<WarningForm | undefined> {
      const { request, reply } = visit;
      const form = await readForm(request);
      if (form === null) {
        answers.page(reply, 'badRequest');
        return undefined;
      }
      const isValid = options.warningPass.isValid(form.get('pass'), link, addressOf(request), now());
      return { isWarned: isValid && isOwnForm(request), visit: withReferrer(visit, form.get('referrer') ?? '') };
    },
    async report({ request, reply }: Visit, link: CompiledLink): Promise<void> {
      const result = isOwnForm(request) ? await options.reports(request, link, addressOf(request)) : 'invalid';
      if (result === 'stored') return answers.page(reply, 'reported');
      if (result === 'invalid') return answers.page(reply, 'badRequest');
      visits.tooManyReports += 1;
      return sendPage(reply, 'tooManyReports', { 'retry-after': String(result.retryAfterSeconds) });
    },
  };
}

/** A visit from a page of a host, which may be any text: it is read as a Referer header is. */
function withReferrer(visit: Visit, host: string): Visit {
  const { method, url, headers, socket } = visit.request;
  return { ...visit, request: { method, url, socket, headers: { ...headers, referer: `https://${host}` } } };
}

/** Whether a form was sent by a page of the same host; browsers of before 2023 do not say. */
function isOwnForm({ headers }: VisitRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
