import * as z from 'zod';
import { urlsOpenedBy, schemeOf, webAddressesOf } from './deep-link.ts';
import { isObject } from '#core/lib/is-object.ts';
import { countCharacters, refusing } from '#core/lib/schemas.ts';

export const destinationTypes = ['link', 'mail', 'phone'] as const;
export type DestinationType = (typeof destinationTypes)[number];

const maxUrlLength = 8192;
// Spaces of every kind, controls, DEL and line separators would enter a Location header.
const unsafeCharacters = /[\p{Cc}\p{Z}]/u;
// Parsers repair a missing host, and disagree about backslashes: some read the part before an @ as a user's name.
const webAddress = /^https?:\/\/[^/?#\\]+(?:[/?#]|$)/i;
// The parsed URL does not show an empty name and password.
const emptyCredentials = /^https?:\/\/:?@/i;
// No name of a host has one, but parsers keep it.
const emptyLabel = /^\.|\.\./;
// These run code, read local files, or open another address than the visitor sees.
const forbiddenSchemes = new Set([
  'javascript',
  'data',
  'vbscript',
  'file',
  'blob',
  'filesystem',
  'view-source',
  'about',
  'content',
  'ws',
  'wss',
]);
const mailLocal = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const mailLabel = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/** Checks a web address as a destination. @returns the problem, or undefined (3.5). */
export function urlProblem(value: string): string | undefined {
  if (value.length > maxUrlLength && countCharacters(value) > maxUrlLength) {
    return `must have at most ${maxUrlLength} characters`;
  }
  if (unsafeCharacters.test(value)) return 'must not hold spaces or control characters';
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  const url = webAddress.test(value) ? URL.parse(value) : null;
  if (url === null || emptyLabel.test(url.hostname)) return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '' || emptyCredentials.test(value)) {
    return 'must not hold a user name or password';
  }
  return undefined;
}

/** Checks an e-mail address as a destination. @returns the problem, or undefined. */
export function mailProblem(value: string): string | undefined {
  if (/^mailto:/i.test(value)) return 'must be the address alone, without mailto:';
  const at = value.lastIndexOf('@');
  const local = value.slice(0, Math.max(0, at));
  const labels = value.slice(at + 1).split('.');
  const wellFormed =
    local.length <= 64 && mailLocal.test(local) && labels.length >= 2 && labels.every((label) => mailLabel.test(label));
  return at > 0 && value.length <= 254 && wellFormed ? undefined : 'must be an e-mail address';
}

// The zero of "+49 (0)30" is dialled in Germany alone, that of "+39 (0)6" from abroad too: a number made of either may be wrong.
const trunkZero = /[([]\s*0\s*[)\]]/;

/** Turns a phone number into E.164, without spaces, dots, brackets and dashes; undefined: it is no phone number. */
export function normalizePhone(value: string): string | undefined {
  const digits = value.replaceAll(/[\p{Zs}\p{Pd}.()[\]]/gu, '');
  return /^\+[1-9][0-9]{1,14}$/.test(digits) ? digits : undefined;
}

/**
 * Checks a deep link (4.11): any scheme is accepted, except schemes that run code or read local files, however deeply wrapped;
 * web addresses inside follow the rules of destinations. @returns the problem, or undefined.
 */
export function deepLinkProblem(value: string): string | undefined {
  if (countCharacters(value) > maxUrlLength) return `must have at most ${maxUrlLength} characters`;
  if (unsafeCharacters.test(value) || !value.isWellFormed()) return 'must not hold spaces or control characters';
  if (!/^[a-z][a-z0-9+.-]*:./i.test(value)) return 'must be a URL with a scheme';
  for (const { url, isFallback } of urlsOpenedBy(value)) {
    const scheme = schemeOf(url);
    if (scheme === undefined || forbiddenSchemes.has(scheme)) return 'has a scheme that is not allowed';
    if (!isFallback && scheme !== 'http' && scheme !== 'https') continue;
    const problem = urlProblem(url);
    if (problem !== undefined)
      return url === value ? problem : `${isFallback ? 'its fallback' : 'what it opens'} ${problem}`;
  }
  return undefined;
}

/** The web addresses that a destination may lead to, each once: its own, and those of its deep links. */
export function webAddressesOfDestination({
  type,
  value,
  iosDeepLink = null,
  androidDeepLink = null,
}: Pick<DestinationDraft, 'type' | 'value'> & Partial<DestinationDraft>): string[] {
  // Most destinations: a set for each is garbage (bench row C1).
  if (iosDeepLink === null && androidDeepLink === null) return type === 'link' ? [value] : [];
  const deepLinks = [iosDeepLink, androidDeepLink].flatMap((link) => (link === null ? [] : webAddressesOf(link)));
  return [...new Set([...(type === 'link' ? [value] : []), ...deepLinks])];
}

/** The parts of a link, or of a patch of one, that lead visitors somewhere. */
export interface LinkTargets {
  destination?: DestinationDraft | undefined;
  rules?: readonly { destination: DestinationDraft }[] | null | undefined;
  expiredUrl?: string | null | undefined;
}

/** Web addresses that a link may lead to, each once. */
export function webAddressesOfLink({ destination, rules, expiredUrl }: LinkTargets): string[] {
  if (destination !== undefined && !rules?.length && !expiredUrl) return webAddressesOfDestination(destination);
  const destinations = (rules ?? []).map((rule) => rule.destination);
  if (destination !== undefined) destinations.unshift(destination);
  return [...new Set([...destinations.flatMap(webAddressesOfDestination), ...(expiredUrl ? [expiredUrl] : [])])];
}

const deepLink = z.string().superRefine(refusing(deepLinkProblem)).nullable().optional();

/** An http(s) URL under the rules of destinations: `expiredUrl`, `fallbackUrl`. */
export const webAddressSchema = z.string().superRefine(refusing(urlProblem)).meta({ maxLength: maxUrlLength });

/** A destination as clients send it; a web address keeps its bytes, a phone number becomes E.164. */
export const destinationSchema = z
  .strictObject({
    type: z.enum(destinationTypes),
    value: z.string().describe('URL, e-mail address or phone number, according to type.'),
    threatTypes: z.unknown().optional().describe('Read-only: ignored when sent.'),
    enableDeepLinking: z.boolean().nullable().optional(),
    iosDeepLink: deepLink.describe('iOS URL scheme.'),
    androidDeepLink: deepLink.describe('Android intent or scheme URL.'),
  })
  .superRefine(
    ({ type, value }, context) => {
      const message = valueProblem(type, value);
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['value'], message });
    },
    // Runs beside other errors of the destination: a client gets all of them at once.
    { when: ({ value }) => hasValue(value) },
  )
  .transform(({ type, value, ...deepLinking }): DestinationDraft => ({
    type,
    value: type === 'phone' ? (normalizePhone(value) ?? value) : value,
    enableDeepLinking: deepLinking.enableDeepLinking ?? false,
    iosDeepLink: deepLinking.iosDeepLink ?? null,
    androidDeepLink: deepLinking.androidDeepLink ?? null,
  }))
  .meta({ id: 'DestinationDraft', description: 'Where a link is to lead.' });

function valueProblem(type: DestinationType, value: string): string | undefined {
  if (type === 'link') return urlProblem(value);
  if (type === 'mail') return mailProblem(value);
  if (trunkZero.test(value)) return 'must not hold (0): write the digits that are dialled from abroad';
  return normalizePhone(value) === undefined
    ? 'must be a phone number in international form, like +49 30 1234567'
    : undefined;
}

/** Whether an unchecked value has a type and a value. */
function hasValue(given: unknown): boolean {
  if (!isObject(given)) return false;
  const { type, value } = given as Partial<Record<string, unknown>>;
  return typeof value === 'string' && destinationTypes.some((known) => known === type);
}

/** A destination, checked and normalised. */
export interface DestinationDraft {
  type: DestinationType;
  value: string;
  enableDeepLinking: boolean;
  iosDeepLink: string | null;
  androidDeepLink: string | null;
}
