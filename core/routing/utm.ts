/** The query parameters of a campaign, in the order in which they are added. */
export const utmNames = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

/** Values of `utmNames`, by position; null: none. */
export type UtmValues = readonly [
  source: string | null,
  medium: string | null,
  campaign: string | null,
  term: string | null,
  content: string | null,
];

/** Of the address that was visited: campaign parameters, and whether a QR code was scanned (`qr=1`). */
interface VisitedQuery {
  readonly utm: UtmValues;
  readonly isQrCode: boolean;
}

/** No campaign parameter at all. */
export const noUtm: UtmValues = [null, null, null, null, null];

const emptyQuery: VisitedQuery = { utm: noUtm, isQrCode: false };

/**
 * Sets campaign parameters on a web address: the first parameter of the same name gets the value, further ones go, what
 * is missing comes last. All other bytes stay as they are, and the fragment stays at the end (4.6).
 */
export function setUtm(url: string, utm: UtmValues): string {
  if (utm.every((value) => value === null)) return url;
  const { base, query, fragment } = splitUrl(url);
  const unset = new Map<string, string>();
  for (const [index, name] of utmNames.entries()) {
    const value = utm[index];
    if (value !== null && value !== undefined) unset.set(name, `${name}=${encodeURIComponent(value.toWellFormed())}`);
  }
  const wanted = new Set(unset.keys());
  const pairs: string[] = [];
  for (const pair of query === null || query === '' ? [] : query.split('&')) {
    const name = nameOf(pair);
    if (!wanted.has(name)) pairs.push(pair);
    else if (unset.has(name)) {
      pairs.push(unset.get(name)!);
      unset.delete(name);
    }
  }
  return `${base}?${appendPairs(pairs.join('&'), [...unset.values()])}${fragment}`;
}

/**
 * Appends a visitor's query to a web address, byte for byte but for `qr=1` (4.12). Campaign parameters that the visitor
 * brings take the place of same-named ones; those without a value are left out, as a click leaves them out.
 * @param query without the question mark.
 */
export function addVisitorQuery(url: string, query: string): string {
  const isUtm = (pair: string): boolean => (utmNames as readonly string[]).includes(nameOf(pair));
  const forwarded = query.split('&').filter((pair) => pair !== 'qr=1' && (/=./s.test(pair) || !isUtm(pair)));
  if (forwarded.every((pair) => pair === '')) return url;
  const own = splitUrl(url);
  const replaced = new Set(forwarded.filter(isUtm).map(nameOf));
  const kept = own.query?.split('&').filter((pair) => !replaced.has(nameOf(pair))) ?? [];
  return `${own.base}?${appendPairs(kept.join('&'), forwarded)}${own.fragment}`;
}

/**
 * Reads the query of a visited address. Of repeated parameters the first with a value counts.
 * @param query without the question mark.
 */
export function readVisitedQuery(query: string): VisitedQuery {
  if (query === '') return emptyQuery;
  const utm = [...noUtm] as [...UtmValues];
  let isQrCode = false;
  for (const pair of query.split('&')) {
    if (pair === 'qr=1') isQrCode = true;
    const equals = pair.indexOf('=');
    if (equals < 1) continue;
    const index = (utmNames as readonly string[]).indexOf(decode(pair.slice(0, equals)));
    if (index !== -1) utm[index] ??= decode(pair.slice(equals + 1)) || null;
  }
  return { utm, isQrCode };
}

function splitUrl(url: string): { base: string; query: string | null; fragment: string } {
  const hash = url.indexOf('#');
  const fragment = hash === -1 ? '' : url.slice(hash);
  const rest = hash === -1 ? url : url.slice(0, hash);
  const mark = rest.indexOf('?');
  return mark === -1
    ? { base: rest, query: null, fragment }
    : { base: rest.slice(0, mark), query: rest.slice(mark + 1), fragment };
}

function appendPairs(query: string, added: readonly string[]): string {
  if (added.length === 0) return query;
  const separator = query === '' || query.endsWith('&') ? '' : '&';
  return query + separator + added.join('&');
}

function nameOf(pair: string): string {
  const equals = pair.indexOf('=');
  return decode(equals === -1 ? pair : pair.slice(0, equals));
}

const utf8 = new TextDecoder();

/** Decodes a form-encoded name or value; invalid UTF-8 becomes U+FFFD, and a % without two hex digits stays. */
function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
      utf8.decode(Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))),
    );
  }
}
