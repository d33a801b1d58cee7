import type { CompiledDestination, CompiledDomain, CompiledLink, CompiledRule } from './compiled-link.ts';
import type { OsType } from './link-draft.ts';
import { toLocation } from './location.ts';
import { addVisitorQuery } from './utm.ts';

/** What routing needs to know of a visitor. */
export interface Visitor {
  /** Query of the visited address, without the question mark. */
  readonly query: string;
  /** ISO 3166-1 alpha-2; null: unknown. */
  readonly country: string | null;
  /** Preferred language as `xx` or `xx-YY`; null: unknown. */
  readonly language: string | null;
  readonly osType: OsType;
}

/** A visit to be decided upon. `link` null: the slug is unknown; undefined: the bare domain was visited. */
export interface Visit {
  readonly domain: CompiledDomain;
  readonly link: CompiledLink | null | undefined;
  readonly visitor: Visitor;
  /** Unix time in milliseconds. */
  readonly nowMs: number;
  /** What the database said of the link's cap, once it was asked. */
  readonly cap?: 'granted' | 'spent';
}

/** What a visitor gets. */
export type Decision =
  /** The link's redirect, a click where the visitor counts; `url` is what the click records as its destination. */
  | { readonly kind: 'redirect'; readonly location: string; readonly url: string }
  /** A redirect that is no click: the domain's fallback, an expired link's address. */
  | { readonly kind: 'elsewhere'; readonly location: string }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'bare' }
  /** The visitor must give the link's password first. */
  | { readonly kind: 'password' }
  /** The database must be asked for a click of the link's cap; then decide again. */
  | { readonly kind: 'cap'; readonly link: CompiledLink };

const notFound: Decision = { kind: 'notFound' };
const gone: Decision = { kind: 'gone' };
const bare: Decision = { kind: 'bare' };
const password: Decision = { kind: 'password' };

/** Decides a visit: active → expiry → password → cap → rules → redirect (4.3, 4.4). */
export function decide(visit: Visit): Decision {
  const { domain, link } = visit;
  if (link === undefined) return elsewhere(domain.fallbackLocation) ?? bare;
  if (link === null || !link.isActive) return elsewhere(domain.fallbackLocation) ?? notFound;
  if (link.expiresAtMs !== null && visit.nowMs >= link.expiresAtMs) return elsewhere(link.expiredLocation) ?? gone;
  if (link.passwordHash !== null) return password;
  if (link.maxClicks !== null) {
    if (visit.cap === undefined) return { kind: 'cap', link };
    if (visit.cap === 'spent') return elsewhere(link.expiredLocation) ?? gone;
  }
  return redirect(link, chooseDestination(link, visit.visitor), visit.visitor.query);
}

/** The destination of the first rule whose conditions all hold, else the link's own (4.5). */
export function chooseDestination(link: CompiledLink, visitor: Visitor): CompiledDestination {
  for (const rule of link.rules) if (matches(rule, visitor)) return rule.destination;
  return link.destination;
}

function matches({ countries, languages, osTypes }: CompiledRule, { country, language, osType }: Visitor): boolean {
  if (osTypes !== null && !osTypes.includes(osType)) return false;
  if (countries !== null && (country === null || !countries.includes(country))) return false;
  return languages === null || (language !== null && languages.some((wanted) => speaks(language, wanted)));
}

/** Whether `language` is the wanted one; `xx` is any region's. */
function speaks(language: string, wanted: string): boolean {
  return language === wanted || (wanted.length < language.length && language.startsWith(`${wanted}-`));
}

function redirect(link: CompiledLink, destination: CompiledDestination, query: string): Decision {
  const { location, url, type } = destination;
  const forwards = link.forwardQuery && query !== '' && type === 'link';
  return { kind: 'redirect', location: forwards ? toLocation(addVisitorQuery(location, query)) : location, url };
}

function elsewhere(location: string | null): Decision | undefined {
  return location === null ? undefined : { kind: 'elsewhere', location };
}
