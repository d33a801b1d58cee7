import type {
  CompiledDestination,
  CompiledDomain,
  CompiledLink,
  CompiledMetaTags,
  CompiledRule,
} from './compiled-link.ts';
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
  /** Preferred language as `xx` or `xx-YY`; null: unknown. */
  readonly language: string | null;
  readonly osType: OsType;
  /** Whether it is a machine: it has no apps, and is led to the web (4.10). */
  readonly isBot: boolean;
  /** Whether it is a crawler that builds previews of links. */
  readonly isPreviewer: boolean;
}

/** A visit to be decided upon. `link` null: the slug is unknown; undefined: the bare domain was visited. */
export interface Visit {
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
  /** The link's redirect, a click where the visitor counts; `url` is what the click records as its destination. */
  | { readonly kind: 'redirect'; readonly location: string; readonly url: string }
  /** A page that offers an app and `location`; counts as a redirect does. */
  | { readonly kind: 'deepLink'; readonly deepLink: string; readonly location: string; readonly url: string }
  /** A page that shows `location` in a frame of its full size; counts as a redirect does. */
  | { readonly kind: 'cloak'; readonly title: string; readonly location: string; readonly url: string }
  /** A page of what previews show. */
  | { readonly kind: 'preview'; readonly metaTags: CompiledMetaTags; readonly location: string }
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

/** Decisions of one kind. */
export type DecisionOf<K extends Decision['kind']> = Extract<Decision, { kind: K }>;

const notFound: Decision = { kind: 'notFound' };
const password: Decision = { kind: 'password' };
const blocked: Decision = { kind: 'blocked' };

/**
 * Decides a visit: active → expiry → password → threats → cap → rules → preview → deep link → cloak → redirect (4.3, 4.4). Bots and
 * previewers take no clicks of a cap (`edge/visit` sees to that), but learn that it is used up (4.10).
 */
export function decide(visit: Visit): Decision {
  const { domain, link } = visit;
  if (link === undefined) {
    return elsewhere(domain.fallbackLocation) ?? { kind: 'bare', isPlatform: domain.organizationId === null };
  }
  if (link === null || !link.isActive) return elsewhere(domain.fallbackLocation) ?? notFound;
  if (link.expiresAtMs !== null && visit.nowMs >= link.expiresAtMs) {
    return elsewhere(link.expiredLocation) ?? { kind: 'gone', endedAtMs: link.expiresAtMs };
  }
  if (link.passwordHash !== null && visit.isAdmitted !== true) return password;
  if (link.threatPolicy !== null) {
    const threat = decideThreat(link, visit);
    if (threat !== undefined) return threat;
  }
  if (link.maxClicks !== null) {
    if (visit.cap === undefined) return { kind: 'cap', link };
    if (visit.cap === 'spent') return elsewhere(link.expiredLocation) ?? { kind: 'gone', maxClicks: link.maxClicks };
  }
  return lead(link, visit.visitor);
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

/** Crawlers are warned as well: a page that they show would vouch for the destination. */
function decideThreat(link: CompiledLink, { visitor, isWarned }: Visit): Decision | undefined {
  const { threatTypes, url } = chooseDestination(link, visitor);
  if (threatTypes.length === 0) return undefined;
  if (link.threatPolicy === 'block') return blocked;
  return isWarned === true ? undefined : { kind: 'warning', link, threatTypes, host: hostOf(url) };
}

/** Leads a visitor to the destination, in the way that the link asks for. */
function lead(link: CompiledLink, visitor: Visitor): Decision {
  const destination = chooseDestination(link, visitor);
  const { url, type } = destination;
  const forwards = link.forwardQuery && visitor.query !== '' && type === 'link';
  const location = forwards ? toLocation(addVisitorQuery(destination.location, visitor.query)) : destination.location;
  if (visitor.isPreviewer && link.metaTags !== null) return { kind: 'preview', metaTags: link.metaTags, location };
  if (destination.enableDeepLinking && !visitor.isBot) {
    const { osType } = visitor;
    if (osType === 'android' && destination.androidDeepLink !== null) {
      const deepLink = destination.androidDeepLink;
      // Browsers on Android understand intents themselves, fallback included (4.11).
      const intent = androidIntentOf(deepLink, location);
      if (intent !== null) return { kind: 'redirect', location: toLocation(intent), url };
      return { kind: 'deepLink', deepLink, location, url };
    }
    if (osType === 'ios' && destination.iosDeepLink !== null) {
      return { kind: 'deepLink', deepLink: destination.iosDeepLink, location, url };
    }
  }
  // A frame can hold neither mail nor a call, nor a page that refuses frames (4.8).
  if (link.cloaking && type === 'link' && !destination.refusesFrames) {
    return { kind: 'cloak', title: link.metaTags?.title || hostOf(location), location, url };
  }
  return { kind: 'redirect', location, url };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

function elsewhere(location: string | null): Decision | undefined {
  return location === null ? undefined : { kind: 'elsewhere', location };
}
