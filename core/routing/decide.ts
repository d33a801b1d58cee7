import type {
  CompiledDestination,
  CompiledDomain,
  CompiledLink,
  CompiledMetaTags,
  CompiledRule,
} from './compiled/compiled-link.ts';
import { androidIntentOf } from '#core/links/deep-link.ts';
import type { OsType } from '#core/links/draft.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { toLocation } from './location.ts';
import { addVisitorQuery } from './utm.ts';

/** The facts about a visitor that routing depends on. */
export interface Visitor {
  /** Query of the visited address, without the question mark. */
  readonly query: string;
  /** ISO 3166-1 alpha-2; null: unknown. */
  readonly country: string | null;
  /** Preferred language (`comparableLanguage`); null: unknown. */
  readonly language: string | null;
  readonly osType: OsType;
  /** Whether it is a machine: it has no apps, and is led to the web (4.10). */
  readonly isBot: boolean;
  /** Whether it is a crawler that builds previews of links. */
  readonly isPreviewer: boolean;
  /** Whether it is a view inside an Android app, which shows an error page for `intent:` addresses. */
  readonly isAndroidWebView?: boolean;
}

/** What a visit is decided by. `link` null: the slug is unknown; undefined: the bare domain was visited. */
export interface RoutingInput {
  readonly domain: CompiledDomain;
  readonly link: CompiledLink | null | undefined;
  readonly visitor: Visitor;
  /** Unix time in milliseconds. */
  readonly nowMs: number;
  /** The database's answer about the link's cap; undefined before it was asked. */
  readonly cap?: 'granted' | 'spent';
  /** Whether the visitor has given the link's password. */
  readonly isAdmitted?: boolean;
  /** Whether the visitor has read the warning of the link's threats, and goes on (4.15). */
  readonly isWarned?: boolean;
}

/** The edge's answer to a visit. */
export type Decision =
  /** The link's redirect, a click where the visitor counts; `url` is what the click, or a bot's visit, records as its destination. */
  | { readonly kind: 'redirect'; readonly location: string; readonly url: string }
  /** A page that offers an app and `location`; counts as a redirect does. */
  | { readonly kind: 'deepLink'; readonly deepLink: string; readonly location: string; readonly url: string }
  /** A page that shows `location` in a frame of its full size; counts as a redirect does. */
  | { readonly kind: 'cloak'; readonly title: string; readonly location: string; readonly url: string }
  /** A page of what previews show. */
  | { readonly kind: 'preview'; readonly metaTags: CompiledMetaTags; readonly location: string; readonly url: string }
  /** A redirect that is no click: the domain's fallback, an expired link's address. */
  | { readonly kind: 'elsewhere'; readonly location: string }
  | { readonly kind: 'notFound' }
  /** The link has ended, or has had all the visits that it was made for. */
  | { readonly kind: 'gone'; readonly endedAtMs: number }
  | { readonly kind: 'gone'; readonly endedAtMs?: undefined; readonly maxClicks: number }
  /** The bare domain; only a platform domain names the service. */
  | { readonly kind: 'bare'; readonly isPlatform: boolean }
  /** The visitor is warned of threats at `host`, and may go on. */
  | {
      readonly kind: 'warning';
      readonly link: CompiledLink;
      readonly threatTypes: readonly ThreatType[];
      readonly host: string;
    }
  /** The link leads to threats, and the organization blocks such links. */
  | { readonly kind: 'blocked' }
  /** The visitor must give the link's password first. */
  | { readonly kind: 'password' }
  /** The database must be asked for a click of the link's cap; then decide again. */
  | { readonly kind: 'cap'; readonly link: CompiledLink };

export type DecisionOf<K extends Decision['kind']> = Extract<Decision, { kind: K }>;

const notFound: Decision = { kind: 'notFound' };
const password: Decision = { kind: 'password' };
const blocked: Decision = { kind: 'blocked' };

/**
 * Decides a visit: active → expiry → password → threats → cap → rules → preview → deep link → cloak → redirect (4.3, 4.4). Each step is
 * a function of its own, which `explain` calls too. Bots and previewers take no clicks of a cap (`edge/visit` sees to that), but learn
 * that it is used up (4.10).
 */
export function decide(input: RoutingInput): Decision {
  const { domain, link } = input;
  if (link === undefined) {
    return elsewhere(domain.fallbackLocation) ?? { kind: 'bare', isPlatform: domain.organizationId === null };
  }
  if (link === null) return elsewhere(domain.fallbackLocation) ?? notFound;
  // Most links go past most steps: a comparison costs less than a call (5 ns of 18, measured).
  const refusal =
    (link.isActive ? undefined : decideInactive(link, input)) ??
    (link.expiresAtMs === null ? undefined : decideExpired(link, input)) ??
    (link.passwordHash === null ? undefined : decidePassword(link, input)) ??
    (link.threatPolicy === null ? undefined : decideThreat(link, input)) ??
    (link.maxClicks === null ? undefined : decideCap(link, input));
  return refusal ?? lead(link, input.visitor);
}

/** The destination of the first rule whose conditions all hold, else the link's own (4.5). */
export function chooseDestination(link: CompiledLink, visitor: Visitor): CompiledDestination {
  for (const rule of link.rules) if (matches(rule, visitor)) return rule.destination;
  return link.destination;
}

/** Whether all conditions of a rule hold for a visitor. */
export function matches(rule: CompiledRule, visitor: Visitor): boolean {
  return matchesOs(rule, visitor) && matchesCountry(rule, visitor) && matchesLanguage(rule, visitor);
}

export function matchesOs({ osTypes }: Pick<CompiledRule, 'osTypes'>, { osType }: Pick<Visitor, 'osType'>): boolean {
  return osTypes === null || osTypes.includes(osType);
}

export function matchesCountry(
  { countries }: Pick<CompiledRule, 'countries'>,
  { country }: Pick<Visitor, 'country'>,
): boolean {
  return countries === null || (country !== null && countries.includes(country));
}

export function matchesLanguage(
  { languages }: Pick<CompiledRule, 'languages'>,
  { language }: Pick<Visitor, 'language'>,
): boolean {
  if (languages === null || language === null) return languages === null;
  return languages.some((wanted) => speaks(language, wanted));
}

/** Whether `language` is the wanted one; `xx` is any region's. */
function speaks(language: string, wanted: string): boolean {
  return language === wanted || (language[wanted.length] === '-' && language.startsWith(wanted));
}

/** The answer where the link is switched off. */
export function decideInactive(link: CompiledLink, { domain }: RoutingInput): Decision | undefined {
  if (link.isActive) return undefined;
  return (link.isTakenDown ? undefined : elsewhere(domain.fallbackLocation)) ?? notFound;
}

/** The answer from the moment on at which the link expires. */
export function decideExpired(link: CompiledLink, { nowMs }: RoutingInput): Decision | undefined {
  if (link.expiresAtMs === null || nowMs < link.expiresAtMs) return undefined;
  return elsewhere(link.expiredLocation) ?? { kind: 'gone', endedAtMs: link.expiresAtMs };
}

/** The answer to a visitor who has not given the link's password. */
export function decidePassword(link: CompiledLink, { isAdmitted }: RoutingInput): Decision | undefined {
  return link.passwordHash !== null && isAdmitted !== true ? password : undefined;
}

/**
 * The answer where the destination has known threats. Crawlers are warned as well: a page that they show would vouch for the
 * destination.
 */
export function decideThreat(link: CompiledLink, { visitor, isWarned }: RoutingInput): Decision | undefined {
  if (link.threatPolicy === null) return undefined;
  const { threatTypes, url } = chooseDestination(link, visitor);
  if (threatTypes.length === 0) return undefined;
  if (link.threatPolicy === 'block') return blocked;
  return isWarned === true ? undefined : { kind: 'warning', link, threatTypes, host: hostOf(url) };
}

/** The answer where all clicks of the link's cap are used up, or the database must be asked for one. */
export function decideCap(link: CompiledLink, { cap }: RoutingInput): Decision | undefined {
  if (link.maxClicks === null || cap === 'granted') return undefined;
  if (cap === undefined) return { kind: 'cap', link };
  return elsewhere(link.expiredLocation) ?? { kind: 'gone', maxClicks: link.maxClicks };
}

/** Leads a visitor to the destination, in the way that the link asks for. */
function lead(link: CompiledLink, visitor: Visitor): Decision {
  const destination = chooseDestination(link, visitor);
  const location = link.forwardQuery ? locate(link, destination, visitor) : destination.location;
  const special =
    (visitor.isPreviewer ? decidePreview(link, visitor, location, destination.url) : undefined) ??
    (destination.enableDeepLinking ? decideDeepLink(destination, visitor, location) : undefined) ??
    (link.cloaking ? decideCloak(link, destination, visitor, location) : undefined);
  return special ?? { kind: 'redirect', location, url: destination.url };
}

/** The Location header that leads a visitor to a destination of the link: with the query of the visit, where it is forwarded. */
export function locate(link: CompiledLink, { type, location }: CompiledDestination, { query }: Visitor): string {
  const forwards = link.forwardQuery && query !== '' && type === 'link';
  return forwards ? toLocation(addVisitorQuery(location, query)) : location;
}

/** The answer to a crawler that builds a preview of the link. */
export function decidePreview(
  link: CompiledLink,
  { isPreviewer }: Visitor,
  location: string,
  url: string,
): Decision | undefined {
  return isPreviewer && link.metaTags !== null
    ? { kind: 'preview', metaTags: link.metaTags, location, url }
    : undefined;
}

/** The answer to a visitor on whose system the destination has an app. */
export function decideDeepLink(
  destination: CompiledDestination,
  { osType, isBot, isAndroidWebView }: Visitor,
  location: string,
): Decision | undefined {
  if (!destination.enableDeepLinking || isBot) return undefined;
  const { url, androidDeepLink, iosDeepLink } = destination;
  if (osType === 'android' && androidDeepLink !== null) {
    // Browsers on Android understand intents themselves, fallback included (4.11).
    const intent = isAndroidWebView ? null : androidIntentOf(androidDeepLink, location);
    if (intent !== null) return { kind: 'redirect', location: toLocation(intent), url };
    return { kind: 'deepLink', deepLink: androidDeepLink, location, url };
  }
  if (osType === 'ios' && iosDeepLink !== null) return { kind: 'deepLink', deepLink: iosDeepLink, location, url };
  return undefined;
}

/**
 * The answer of a cloaked link. A frame can hold neither mail nor a call, nor a page that refuses frames (4.8). Bots are led to the
 * destination, which they read (4.10).
 */
export function decideCloak(
  link: CompiledLink,
  { type, url, refusesFrames }: CompiledDestination,
  { isBot }: Visitor,
  location: string,
): Decision | undefined {
  if (!link.cloaking || type !== 'link' || refusesFrames || isBot) return undefined;
  return { kind: 'cloak', title: link.metaTags?.title?.trim() || hostOf(location), location, url };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

function elsewhere(location: string | null): Decision | undefined {
  return location === null ? undefined : { kind: 'elsewhere', location };
}
