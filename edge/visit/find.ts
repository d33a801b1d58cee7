import { normalizeHost } from '#core/domains/host.ts';
import { securityTxtPath } from '#core/http/security-txt.ts';
import { pastedSlugOf, slugOf } from '#core/links/slugs/slug-of-path.ts';
import { isReservedSlug } from '#core/links/slugs/slug.ts';
import type { CompiledDomain, CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import type { Reply, VisitRequest } from '#edge/http/exchange.ts';
import { reportedSlug, reportPath, type Target } from '#edge/request-target.ts';
import type { VisitOptions } from './options.ts';

export interface Visit {
  readonly request: VisitRequest;
  readonly reply: Reply;
  readonly target: Target;
}

/** What a visit's host and path name. */
export type Found =
  | FoundLink
  /** No link: the bare domain was visited (undefined), or the slug is unknown (null). */
  | { readonly kind: 'noLink'; readonly domain: CompiledDomain; readonly link: null | undefined }
  /** The form by which visitors report a link; `slug` is percent-encoded. */
  | { readonly kind: 'reportForm'; readonly domain: CompiledDomain; readonly link: CompiledLink; readonly slug: string }
  /** A file that every host has. */
  | { readonly kind: 'robots' | 'icon' | 'securityTxt' }
  | { readonly kind: 'document'; readonly json: string }
  | { readonly kind: 'unknownHost' | 'notFound' | 'methodNotAllowed' | 'badRequest' };

export interface FoundLink {
  readonly kind: 'link';
  readonly domain: CompiledDomain;
  readonly link: CompiledLink;
  /** A visit of the link's own address, without what was pasted behind it. */
  readonly visit: Visit;
}

/** A client that has asked too often for what does not exist would cause a query. */
export class TooManyMissesError extends Error {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('The client has asked too often for what does not exist.');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const files = new Map<string, 'robots' | 'icon' | 'securityTxt'>([
  ['/robots.txt', 'robots'],
  ['/favicon.ico', 'icon'],
  [securityTxtPath, 'securityTxt'],
]);
const documents = new Map<string, 'appleAppSiteAssociation' | 'androidAssetLinks'>([
  ['/.well-known/apple-app-site-association', 'appleAppSiteAssociation'],
  ['/apple-app-site-association', 'appleAppSiteAssociation'],
  ['/.well-known/assetlinks.json', 'androidAssetLinks'],
]);

/** Applies `step` to a value: at once where it is in memory, so that a visit of a link in memory takes no promise. */
export function after<T, R>(value: T | Promise<T>, step: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(step) : step(value);
}

/**
 * Makes the first step of a visit: host → domain → path → link.
 * @returns a promise only where domain or link must be read; it rejects with TooManyMissesError, or with the error of the read.
 */
export function createFind(options: VisitOptions): (visit: Visit) => Found | Promise<Found> {
  const { lookup, notFoundLimit } = options;

  function find(visit: Visit): Found | Promise<Found> {
    const host = normalizeHost(visit.target.host ?? visit.request.headers.host);
    if (host === undefined) return { kind: 'badRequest' };
    if (host === null) return { kind: 'unknownHost' };
    const domain = lookup.domain(options.servedHost(host), () => refusalOf(visit));
    return after(domain, (found) => (found === null ? { kind: 'unknownHost' } : findPath(visit, found)));
  }

  function findPath(visit: Visit, domain: CompiledDomain): Found | Promise<Found> {
    const { path } = visit.target;
    const isPost = visit.request.method === 'POST';
    const file = files.get(path);
    if (file !== undefined && !isPost) return { kind: file };
    if (path === reportPath) return findReportForm(visit, domain);
    const document = documents.get(path);
    const isReserved = document !== undefined || path.startsWith('/.well-known/');
    if (isReserved && isPost) return { kind: 'methodNotAllowed' };
    const json = document === undefined ? null : domain[document];
    if (json !== null) return { kind: 'document', json };
    if (isReserved) return { kind: 'notFound' };
    const slug = slugOf(path);
    if (slug === '') return { kind: 'noLink', domain, link: undefined };
    return after(findLink(visit, domain, slug), (link) =>
      link === null ? findPasted(visit, domain) : { kind: 'link', domain, link, visit },
    );
  }

  /** Looks an unknown slug up once more, without what was pasted behind it. */
  function findPasted(visit: Visit, domain: CompiledDomain): Found | Promise<Found> {
    const slug = pastedSlugOf(visit.target.path);
    return after(findLink(visit, domain, slug), (link) => {
      if (link === null) return { kind: 'noLink', domain, link };
      const target = { ...visit.target, path: `/${encodeURIComponent(slug!)}` };
      return { kind: 'link', domain, link, visit: { ...visit, target } };
    });
  }

  function findReportForm(visit: Visit, domain: CompiledDomain): Found | Promise<Found> {
    const slug = reportedSlug(visit.target.query);
    if (slug === null) return { kind: 'notFound' };
    return after(findLink(visit, domain, slugOf(`/${slug}`) || null), (link) =>
      link === null || !link.isActive ? { kind: 'notFound' } : { kind: 'reportForm', domain, link, slug },
    );
  }

  /** @param slug null: no slug can be meant. */
  function findLink(
    visit: Visit,
    domain: CompiledDomain,
    slug: string | null,
  ): CompiledLink | null | Promise<CompiledLink | null> {
    return slug === null || isReservedSlug(slug) ? null : lookup.link(domain, slug, () => refusalOf(visit));
  }

  /** Refuses the read of a client with too many 404s. */
  function refusalOf({ request }: Visit): TooManyMissesError | undefined {
    const seconds = notFoundLimit.wait(options.addressOf(request));
    return seconds === undefined ? undefined : new TooManyMissesError(seconds);
  }

  return find;
}
