import { isPrefetch, isSubresource } from '#core/routing/bots.ts';
import type { CompiledDomain, CompiledLink } from '#core/routing/compiled-link.ts';
import { type Decision, type DecisionOf, decide, type Visitor } from '#core/routing/decide.ts';
import { securityTxt, securityTxtPath } from '#core/http/security-txt.ts';
import { normalizeHost } from '#core/domains/host.ts';
import type { Caps } from './caps.ts';
import type { Handler, Reply, VisitRequest } from './http/exchange.ts';
import type { Enricher, EnrichedVisitor } from './visitor/enricher.ts';
import type { VisitorKeys } from './visitor/keys.ts';

import { type Journal, JournalError } from './journal/journal.ts';
import type { Lookup } from './lookup/lookup.ts';
import { DatabaseUnreachableError, StatementLateError } from './lookup/reader.ts';
import type { VisitCounts } from './metrics.ts';
import type { NotFoundLimit } from './not-found-limit.ts';
import type { PasswordCookie } from './password/cookie.ts';
import { readForm } from './form.ts';
import type { PasswordAttempts } from './password/attempts.ts';
import {
  sendPasswordAccepted,
  sendDecision,
  sendIcon,
  sendJson,
  sendPage,
  sendRedirect,
  sendReportForm,
  sendRobots,
  sendSecurityTxt,
  sendTooManyTries,
  sendWarning,
} from './pages/respond.ts';
import type { WarningPass } from './pages/warning-pass.ts';
import { isReservedSlug } from '#core/links/slug.ts';
import type { Reports } from './reports.ts';
import { parseTarget, pastedSlugOf, reportedSlug, reportPath, slugOf, type Target } from './request-target.ts';

interface VisitOptions {
  lookup: Lookup;
  enricher: Enricher;
  visitorKeys: Pick<VisitorKeys, 'pending'>;
  caps: Caps;
  journal: Pick<Journal, 'append'>;
  passwordCookie: PasswordCookie;
  warningPass: WarningPass;
  passwordAttempts: PasswordAttempts;
  reports: Reports;
  notFoundLimit: NotFoundLimit;
  /** The client's address of a request. */
  addressOf(request: VisitRequest): string;
  /** The public address of a stored file. */
  fileUrl(key: string): string;
  /** The contacts in security.txt, as URIs. */
  securityContacts: readonly string[];
  /** Maps a visited host to the host that links are looked up under (4.1). */
  servedHost(host: string): string;
  /** Answers the edge's own paths, which are the same on every host; false where `target` is not one of them. */
  answerSystemPath(target: Target, reply: Reply): boolean;
  counts: VisitCounts;
  log: { error(details: object, message: string): void };
  /** Unix time in milliseconds. */
  now(): number;
}

/** A visit that is being answered. */
interface Visit {
  readonly request: VisitRequest;
  readonly reply: Reply;
  readonly target: Target;
}

/** A value that memory alone cannot give. */
interface Reading<T> {
  /** Whether an outdated value is in memory. */
  isHeld(): boolean;
  read(): T | Promise<T>;
}

/** A visit that counts. */
interface Click {
  readonly link: CompiledLink;
  readonly visitor: EnrichedVisitor;
  readonly nowMs: number;
}

const documents = new Map<string, 'appleAppSiteAssociation' | 'androidAssetLinks'>([
  ['/.well-known/apple-app-site-association', 'appleAppSiteAssociation'],
  ['/apple-app-site-association', 'appleAppSiteAssociation'],
  ['/.well-known/assetlinks.json', 'androidAssetLinks'],
]);

// For decisions that do not depend on the visitor: there is no link, or its password comes first.
const anyone: Visitor = { query: '', country: null, language: null, osType: 'other', isBot: false, isPreviewer: false };

/**
 * Answers GET, HEAD, and the POST of a link's password or past its warning: host → domain → link → decision → answer. A visit
 * of a link in memory takes no promise and no I/O but the journal's write, which it shares with others.
 */
export function createVisitHandler(options: VisitOptions): Handler {
  const { lookup, enricher, caps, journal, passwordCookie, counts, now } = options;
  const { visits } = counts;
  const files = new Map<string, (reply: Reply) => void>([
    ['/robots.txt', sendRobots],
    ['/favicon.ico', sendIcon],
    [securityTxtPath, (reply) => sendSecurityTxt(reply, securityTxt(options.securityContacts, new Date(now())))],
  ]);

  /** Proceeds with a value, at once or when it is read. A failed read is answered 503, never 404. */
  function whenRead<T>(value: T | Promise<T>, visit: Visit, proceed: (visit: Visit, value: T) => void): void {
    if (!(value instanceof Promise)) return proceed(visit, value);
    value.then((read) => proceed(visit, read)).catch((error: unknown) => fail(visit, error));
  }

  function fail(visit: Visit, error: unknown): void {
    visits.unavailable += 1;
    // Reader and journal log these errors once, not at every visit.
    const isKnown = [DatabaseUnreachableError, StatementLateError, JournalError].some(
      (known) => error instanceof known,
    );
    if (!isKnown) options.log.error({ err: error }, 'a visit could not be answered');
    if (!visit.reply.isSent) sendPage(visit.reply, 'unavailable');
  }

  /** Answers 404, or 429 to a client with too many of them (4.15). */
  function miss({ request, reply }: Visit, outcome: 'notFound' | 'unknownHost'): void {
    const retryAfterSeconds = options.notFoundLimit.add(options.addressOf(request));
    if (retryAfterSeconds !== undefined) return refuseMisses(reply, retryAfterSeconds);
    visits[outcome] += 1;
    sendPage(reply, 'notFound');
  }

  function refuseMisses(reply: Reply, retryAfterSeconds: number): void {
    visits.tooManyMisses += 1;
    sendPage(reply, 'tooManyMisses', { 'retry-after': String(retryAfterSeconds) });
  }

  /**
   * Proceeds with a value from the database. Clients with too many 404s get 429 instead, unless an outdated value is in memory:
   * so a flood of unknown slugs causes no queries (13.2).
   */
  function whenFound<T>(visit: Visit, find: Reading<T>, proceed: (visit: Visit, value: T) => void): void {
    const retryAfterSeconds = find.isHeld() ? undefined : options.notFoundLimit.wait(options.addressOf(visit.request));
    if (retryAfterSeconds !== undefined) return refuseMisses(visit.reply, retryAfterSeconds);
    whenRead(find.read(), visit, proceed);
  }

  function refuseMethod(reply: Reply): void {
    visits.methodNotAllowed += 1;
    sendPage(reply, 'methodNotAllowed');
  }

  function withDomain(visit: Visit, domain: CompiledDomain | null): void {
    const { request, reply, target } = visit;
    if (domain === null) return miss(visit, 'unknownHost');
    const sendFile = files.get(target.path);
    if (sendFile !== undefined && request.method !== 'POST') {
      visits.ownPath += 1;
      return sendFile(reply);
    }
    if (target.path === reportPath) return withReport(visit, domain);
    const document = documents.get(target.path);
    const isReserved = document !== undefined || target.path.startsWith('/.well-known/');
    if (isReserved && request.method === 'POST') return refuseMethod(reply);
    if (document !== undefined) {
      const json = domain[document];
      if (json === null) return miss(visit, 'notFound');
      visits.document += 1;
      return sendJson(reply, json);
    }
    if (isReserved) return miss(visit, 'notFound');
    const slug = slugOf(target.path);
    if (slug === '') return withoutLink(visit, domain, undefined);
    const proceed = (_visit: Visit, link: CompiledLink | null): void => {
      if (link === null) return withPasted(visit, domain);
      return withFound(visit, domain, link);
    };
    if (slug === null) return proceed(visit, null);
    return withSlug(visit, domain, slug, proceed);
  }

  /** Proceeds with the link of a slug; null where there is none. */
  function withSlug(
    visit: Visit,
    domain: CompiledDomain,
    slug: string,
    proceed: (visit: Visit, link: CompiledLink | null) => void,
  ): void {
    const known = lookup.recallLink(domain, slug);
    if (known !== undefined) return proceed(visit, known);
    if (isReservedSlug(slug)) return proceed(visit, null);
    const isHeld = (): boolean => lookup.holdsLink(domain, slug);
    return whenFound(visit, { isHeld, read: () => lookup.link(domain, slug) }, proceed);
  }

  /** Looks an unknown slug up once more, without what was pasted behind it. The visit is then one of the link's own address. */
  function withPasted(visit: Visit, domain: CompiledDomain): void {
    const { request, reply, target } = visit;
    const slug = pastedSlugOf(target.path);
    if (slug === null) return withoutLink(visit, domain, null);
    const own = { request, reply, target: { ...target, path: `/${encodeURIComponent(slug)}` } };
    return withSlug(own, domain, slug, (_own, link) => {
      if (link === null) return withoutLink(visit, domain, null);
      return withFound(own, domain, link);
    });
  }

  function withFound(visit: Visit, domain: CompiledDomain, link: CompiledLink): void {
    return visit.request.method === 'POST' ? withForm(visit, domain, link) : withLink(visit, domain, link);
  }

  /** Shows the form by which visitors report a link, and takes it. */
  function withReport(visit: Visit, domain: CompiledDomain): void {
    const encoded = reportedSlug(visit.target.query);
    const slug = encoded === null ? null : slugOf(`/${encoded}`);
    if (encoded === null || !slug) return miss(visit, 'notFound');
    const proceed = (_visit: Visit, link: CompiledLink | null): void => {
      if (link === null || !link.isActive) return miss(visit, 'notFound');
      if (visit.request.method === 'POST') takeReport(visit, link).catch((error: unknown) => fail(visit, error));
      else {
        visits.ownPath += 1;
        sendReportForm(visit.reply, domain.domain, encoded);
      }
    };
    const isHeld = (): boolean => lookup.holdsLink(domain, slug);
    return whenFound(visit, { isHeld, read: () => lookup.link(domain, slug) }, proceed);
  }

  async function takeReport({ request, reply }: Visit, link: CompiledLink): Promise<void> {
    const result = isOwnForm(request) ? await options.reports(request, link, options.addressOf(request)) : 'invalid';
    if (result === 'stored') {
      visits.reported += 1;
      return sendPage(reply, 'reported');
    }
    if (result === 'invalid') {
      visits.badRequest += 1;
      return sendPage(reply, 'badRequest');
    }
    visits.tooManyReports += 1;
    return sendPage(reply, 'tooManyReports', { 'retry-after': String(result.retryAfterSeconds) });
  }

  function withoutLink(visit: Visit, domain: CompiledDomain, link: null | undefined): void {
    if (visit.request.method === 'POST') return refuseMethod(visit.reply);
    answer(visit, decide({ domain, link, visitor: anyone, nowMs: now() }));
  }

  function withLink(visit: Visit, domain: CompiledDomain, link: CompiledLink): void {
    // Only a process that has just started has no key yet.
    const pending = options.visitorKeys.pending(now());
    if (pending === undefined) return withKey(visit, domain, link);
    whenRead(pending, visit, () => withKey(visit, domain, link));
  }

  /** @param isWarned the visitor has read the warning and goes on, by a POST that is then the visit (4.15). */
  function withKey(visit: Visit, domain: CompiledDomain, link: CompiledLink, isWarned = false): void {
    const { request, target } = visit;
    const visitor = enricher.visitor(request.headers, request.socket.remoteAddress, target.query);
    // Refused, so that the browser asks again when a person goes there: else it would show what it fetched, and no click be counted.
    if (!visitor.isBot && isPrefetch(request.headers)) {
      visits.prefetch += 1;
      return sendPage(visit.reply, 'unavailable');
    }
    const isCounted = isClick(request, visitor);
    const nowMs = now();
    const isAdmitted = link.passwordHash !== null && passwordCookie.isHeld(link, request.headers.cookie, nowMs);
    const decision = decide({ domain, link, visitor, nowMs, isAdmitted, isWarned });
    if (decision.kind !== 'cap') return withDecision(visit, decision, isCounted ? { link, visitor, nowMs } : undefined);
    return whenRead(caps(link, isCounted), visit, (_visit, cap) => {
      // Meanwhile the link may have expired.
      const laterMs = now();
      const decided = decide({ domain, link, visitor, nowMs: laterMs, cap, isAdmitted, isWarned });
      withDecision(visit, decided, isCounted ? { link, visitor, nowMs: laterMs } : undefined);
    });
  }

  function warn({ request, reply, target }: Visit, warning: DecisionOf<'warning'>): void {
    visits.warning += 1;
    const pass = options.warningPass.issue(warning.link, options.addressOf(request), now());
    sendWarning(reply, warning, { pass, path: target.path });
  }

  /** Takes the form of a link's password, or the one that goes on after a warning. */
  function withForm(visit: Visit, domain: CompiledDomain, link: CompiledLink): void {
    const { request, reply } = visit;
    const isWarning = link.threatPolicy === 'warn';
    if (link.passwordHash === null && !isWarning) return refuseMethod(reply);
    const nowMs = now();
    const isAdmitted = isWarning && passwordCookie.isHeld(link, request.headers.cookie, nowMs);
    const decision = decide({ domain, link, visitor: anyone, nowMs, isAdmitted });
    if (decision.kind === 'password') tryPassword(visit, link).catch((error: unknown) => fail(visit, error));
    else if (isWarning) goOn(visit, domain, link).catch((error: unknown) => fail(visit, error));
    else answer(visit, decision);
  }

  /** Goes on after a warning; without a valid pass, or by a form of another site, the visitor is warned again. */
  async function goOn(visit: Visit, domain: CompiledDomain, link: CompiledLink): Promise<void> {
    const { request, reply } = visit;
    const form = await readForm(request);
    if (form === null) {
      visits.badRequest += 1;
      return sendPage(reply, 'badRequest');
    }
    const isValid = options.warningPass.isValid(form.get('pass'), link, options.addressOf(request), now());
    const pending = options.visitorKeys.pending(now());
    if (pending !== undefined) await pending;
    withKey(visit, domain, link, isValid && isOwnForm(request));
  }

  async function tryPassword({ request, reply, target }: Visit, link: CompiledLink): Promise<void> {
    const form = await readForm(request);
    const password = form?.get('password') ?? null;
    // The cookie has expired while the visitor read the warning.
    if (password === null && form?.has('pass') === true)
      return answer({ request, reply, target }, { kind: 'password' });
    if (password === null) {
      visits.badRequest += 1;
      return sendPage(reply, 'badRequest');
    }
    const result = await options.passwordAttempts(link, password, options.addressOf(request));
    if (result === 'right') {
      visits.admitted += 1;
      const path = target.path.replace(/\/$/, '');
      const self = target.query === '' ? target.path : `${target.path}?${target.query}`;
      return sendPasswordAccepted(reply, self, passwordCookie.issue(link, path, now()));
    }
    if (result === 'wrong') {
      visits.wrongPassword += 1;
      return sendPage(reply, 'wrongPassword');
    }
    if (result === 'busy') {
      visits.unavailable += 1;
      return sendPage(reply, 'unavailable');
    }
    visits.tooManyTries += 1;
    return sendTooManyTries(reply, result.retryAfterSeconds);
  }

  function answer(visit: Visit, decision: Decision): void {
    if (decision.kind === 'notFound') return miss(visit, 'notFound');
    if (decision.kind === 'warning') return warn(visit, decision);
    visits[decision.kind] += 1;
    sendDecision(visit.reply, decision, options.fileUrl);
  }

  /** Answers; what counts is answered once its click is on disk (4.14). */
  function withDecision(visit: Visit, decision: Decision, click: Click | undefined): void {
    if (click === undefined || !('url' in decision)) return answer(visit, decision);
    const line = enricher.click(click.link, click.visitor, decision.url, click.nowMs);
    journal.append(line, (error) => {
      if (error !== undefined) return fail(visit, error);
      counts.clicks += 1;
      if (decision.kind !== 'redirect') return answer(visit, decision);
      visits.redirect += 1;
      sendRedirect(visit.reply, decision.location);
    });
  }

  return (request, reply) => {
    const target = parseTarget(request.url!);
    if (target === null) {
      visits.badRequest += 1;
      return sendPage(reply, 'badRequest');
    }
    if (request.method !== 'POST' && options.answerSystemPath(target, reply)) {
      visits.ownPath += 1;
      return;
    }
    const visit = { request, reply, target };
    const host = normalizeHost(target.host ?? request.headers.host);
    if (host === undefined) {
      visits.badRequest += 1;
      return sendPage(reply, 'badRequest');
    }
    if (host === null) return miss(visit, 'unknownHost');
    const served = options.servedHost(host);
    const known = lookup.recallDomain(served);
    if (known !== undefined) return withDomain(visit, known);
    whenFound(visit, { isHeld: () => lookup.holdsDomain(served), read: () => lookup.domain(served) }, withDomain);
  };
}

/** Whether a visit counts: not by bots, HEAD, or as a part of a page (4.10). Prefetches are refused before. */
function isClick(request: VisitRequest, visitor: EnrichedVisitor): boolean {
  const { method, headers } = request;
  return !visitor.isBot && method !== 'HEAD' && !isSubresource(headers);
}

/** Whether a form was sent by a page of the same host; browsers of before 2023 do not say. */
function isOwnForm({ headers }: VisitRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}
