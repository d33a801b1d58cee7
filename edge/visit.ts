import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CompiledDomain, CompiledLink } from '../core/compiled-link.ts';
import { type Decision, decide, type Visitor } from '../core/decide.ts';
import { normalizeHost } from '../core/host.ts';
import type { Caps } from './caps.ts';
import type { Enricher, EnrichedVisitor } from './enrich/index.ts';
import type { Journal } from './journal/journal.ts';
import type { Lookup } from './lookup/index.ts';
import { DatabaseAwayError } from './lookup/reader.ts';
import type { VisitCounts } from './measure.ts';
import { pages, sendJson, sendPage, sendRedirect } from './respond/index.ts';
import { parseTarget, slugOf, type Target } from './target.ts';

/** What answering visitors takes. */
export interface VisitOptions {
  lookup: Lookup;
  enricher: Enricher;
  caps: Caps;
  journal: Pick<Journal, 'append'>;
  /** Answers paths that are the same on every host; false where `path` is none of them. */
  answerOwnPath(path: string, reply: FastifyReply): boolean;
  counts: VisitCounts;
  log: { error(details: object, message: string): void };
  /** Unix time in milliseconds. */
  now(): number;
}

/** A visit that is being answered. */
interface Visit {
  readonly request: IncomingMessage;
  readonly reply: FastifyReply;
  readonly target: Target;
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

// Nothing depends on who asks where there is no link.
const anyone: Visitor = { query: '', country: null, language: null, osType: 'other' };

/**
 * Answers GET and HEAD: host → domain → link → decision → answer. A visit of what is in memory takes no promise and no I/O
 * but the journal's one write per tick.
 */
export function createVisitHandler(options: VisitOptions): (request: FastifyRequest, reply: FastifyReply) => void {
  const { lookup, enricher, caps, journal, counts, now } = options;
  const { visits } = counts;

  /** Proceeds with a value that is there or still has to be read; a visitor is never told of a 404 that is none. */
  function whenRead<T>(value: T | Promise<T>, visit: Visit, proceed: (visit: Visit, value: T) => void): void {
    if (!(value instanceof Promise)) return proceed(visit, value);
    value.then((read) => proceed(visit, read)).catch((error: unknown) => fail(visit, error));
  }

  function fail(visit: Visit, error: unknown): void {
    visits.unavailable += 1;
    if (!(error instanceof DatabaseAwayError)) options.log.error({ err: error }, 'a visit could not be answered');
    if (!visit.reply.sent) sendPage(visit.reply, pages.unavailable);
  }

  function withDomain(visit: Visit, domain: CompiledDomain | null): void {
    const { reply, target } = visit;
    if (domain === null) return withUnknownHost(reply);
    const document = documents.get(target.path);
    if (document !== undefined) {
      const json = domain[document];
      visits[json === null ? 'notFound' : 'document'] += 1;
      return json === null ? sendPage(reply, pages.notFound) : sendJson(reply, json);
    }
    if (target.path.startsWith('/.well-known/')) {
      visits.notFound += 1;
      return sendPage(reply, pages.notFound);
    }
    const slug = slugOf(target.path);
    if (slug === '') return withoutLink(visit, domain, undefined);
    if (slug === null) return withoutLink(visit, domain, null);
    return whenRead(lookup.link(domain, slug), visit, (_visit, link) =>
      link === null ? withoutLink(visit, domain, null) : withLink(visit, domain, link),
    );
  }

  function withUnknownHost(reply: FastifyReply): void {
    visits.unknownHost += 1;
    sendPage(reply, pages.notFound);
  }

  function withoutLink(visit: Visit, domain: CompiledDomain, link: null | undefined): void {
    answer(visit, decide({ domain, link, visitor: anyone, nowMs: now() }));
  }

  function withLink(visit: Visit, domain: CompiledDomain, link: CompiledLink): void {
    const { request, target } = visit;
    const visitor = enricher.visitor(request.headers, request.socket.remoteAddress, target.query);
    const isCounted = isClick(request, visitor);
    const nowMs = now();
    const decision = decide({ domain, link, visitor, nowMs });
    if (decision.kind !== 'cap') return withDecision(visit, decision, isCounted ? { link, visitor, nowMs } : undefined);
    return whenRead(caps(link, isCounted), visit, (_visit, cap) => {
      // Meanwhile the link may have expired.
      const laterMs = now();
      const decided = decide({ domain, link, visitor, nowMs: laterMs, cap });
      withDecision(visit, decided, isCounted ? { link, visitor, nowMs: laterMs } : undefined);
    });
  }

  function answer(visit: Visit, decision: Decision): void {
    visits[decision.kind] += 1;
    send(visit, decision);
  }

  /** Answers; a redirect that counts goes out once its click is on disk (4.14). */
  function withDecision(visit: Visit, decision: Decision, click: Click | undefined): void {
    if (decision.kind !== 'redirect' || click === undefined) return answer(visit, decision);
    const { location, url } = decision;
    const line = enricher.click(click.link, click.visitor, url, click.nowMs);
    journal.append(line, (error) => {
      if (error !== undefined) return fail(visit, error);
      visits.redirect += 1;
      counts.clicks += 1;
      sendRedirect(visit.reply, location);
    });
  }

  return (request, reply) => {
    const { raw } = request;
    const target = parseTarget(request.originalUrl);
    if (target === null) {
      visits.badRequest += 1;
      return sendPage(reply, pages.badRequest);
    }
    if (options.answerOwnPath(target.path, reply)) {
      visits.ownPath += 1;
      return;
    }
    const host = normalizeHost(target.host ?? raw.headers.host);
    if (host === null) return withUnknownHost(reply);
    whenRead(lookup.domain(host), { request: raw, reply, target }, withDomain);
  };
}

/** Whether a visit counts: not by bots, HEAD or prefetching (4.10). */
function isClick(request: IncomingMessage, visitor: EnrichedVisitor): boolean {
  if (visitor.isBot || request.method !== 'GET') return false;
  const purpose = request.headers['sec-purpose'];
  return purpose === undefined || !purpose.includes('prefetch');
}

function send({ reply }: Visit, decision: Decision): void {
  switch (decision.kind) {
    case 'redirect':
    case 'elsewhere':
      return sendRedirect(reply, decision.location);
    case 'bare':
      return sendPage(reply, pages.bare);
    case 'notFound':
      return sendPage(reply, pages.notFound);
    case 'gone':
      return sendPage(reply, pages.gone);
    case 'password':
    case 'cap':
      return sendPage(reply, pages.unavailable);
  }
}
