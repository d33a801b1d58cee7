import { isPrefetch, isSubresource } from '#core/routing/bots.ts';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { chooseDestination, type Decision, decide, decideCloak, type Visitor } from '#core/routing/decide.ts';
import type { VisitRequest } from '#edge/http/exchange.ts';
import type { EnrichedVisitor } from '#edge/visitor/enricher.ts';
import { after, type FoundLink } from './find.ts';
import type { VisitOptions } from './options.ts';

/** A decision about a visit; a browser that only fetches ahead is told to come again. */
export type VisitDecision = Decision | { readonly kind: 'prefetch' };

/** A visit that is kept: a person's, which counts, or a bot's. */
export interface Click {
  readonly link: CompiledLink;
  readonly visitor: EnrichedVisitor;
  readonly nowMs: number;
}

interface Decided {
  readonly decision: VisitDecision;
  /** Undefined: the visit is not kept, whatever was decided. */
  readonly click: Click | undefined;
}

/** For decisions that do not depend on the visitor: there is no link, or its password comes first. */
export const anyone: Visitor = {
  query: '',
  country: null,
  language: null,
  osType: 'other',
  isBot: false,
  isPreviewer: false,
};

const office = /\bms-office\b/;

/**
 * Makes the second step of a visit; `isWarned`: the visitor has read the warning and goes on, by a POST that is then the visit (4.15).
 * @returns a promise only where the link has a cap, or where the process has just started and has no key of visitors yet.
 */
export function createDecideVisit({ enricher, visitorKeys, caps, passwordCookie, addressOf, now }: VisitOptions) {
  return (found: FoundLink, isWarned: boolean): Decided | Promise<Decided> =>
    after(visitorKeys.pending(now()), () => decideNow(found, isWarned));

  function decideNow({ domain, link, visit }: FoundLink, isWarned: boolean): Decided | Promise<Decided> {
    const { request, target } = visit;
    const visitor = enricher.visitor(request.headers, addressOf(request), target.query);
    // Refused, so that the browser asks again when a person goes there: else it would show what it fetched, and no click be counted.
    if (!visitor.isBot && isPrefetch(request.headers)) return { decision: { kind: 'prefetch' }, click: undefined };
    const isKept = isWhole(request, isWarned) && !isOfficeBeforeFrame(link, visitor);
    const nowMs = now();
    const isAdmitted = link.passwordHash !== null && passwordCookie.isHeld(link, request.headers.cookie, nowMs);
    const decision = decide({ domain, link, visitor, nowMs, isAdmitted, isWarned });
    if (decision.kind !== 'cap') return { decision, click: isKept ? { link, visitor, nowMs } : undefined };
    return caps(link, isKept && !visitor.isBot).then((cap) => {
      // Meanwhile the link may have expired.
      const laterMs = now();
      const decided = decide({ domain, link, visitor, nowMs: laterMs, cap, isAdmitted, isWarned });
      return { decision: decided, click: isKept ? { link, visitor, nowMs: laterMs } : undefined };
    });
  }
}

/**
 * Whether Office asks for a link whose answer is a page with a frame: the browser in which it then opens the link is the visit. A
 * redirect Office follows itself, and opens where that leads.
 */
function isOfficeBeforeFrame(link: CompiledLink, visitor: EnrichedVisitor): boolean {
  if (!link.cloaking || !office.test(visitor.userAgent)) return false;
  return decideCloak(link, chooseDestination(link, visitor), visitor, '') !== undefined;
}

/**
 * Whether a visit is one of a page: neither HEAD, nor a POST other than that after a warning, nor a part of another page (4.10).
 * Prefetches are refused before.
 */
function isWhole({ method, headers }: VisitRequest, isWarned: boolean): boolean {
  return (method === 'GET' || isWarned) && !isSubresource(headers);
}
