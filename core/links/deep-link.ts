/** A URL that a deep link may open, and whether only a web address may stand there. */
interface OpenedUrl {
  url: string;
  isFallback: boolean;
}

const scheme = /^([a-z][a-z0-9+.-]*):/i;
// An intent may hold another one; no app is opened through more of them.
const maxNested = 3;

/** The scheme of a URL, in lower case; undefined where it has none. */
export function schemeOf(url: string): string | undefined {
  return scheme.exec(url)?.[1]?.toLowerCase();
}

/**
 * Lists the URLs that a deep link may open: itself, and for an `intent:` or `android-app:` URL the wrapped URL, read as
 * `android.content.Intent.parseUri` reads it, and its `browser_fallback_url`. Every given value counts, not the last one alone.
 */
export function urlsOpenedBy(link: string, depth = 0): OpenedUrl[] {
  const itself = { url: link, isFallback: false };
  const kind = schemeOf(link);
  if (depth >= maxNested || (kind !== 'intent' && kind !== 'android-app')) return [itself];
  const [front = '', ...fragments] = link.slice(kind.length + 1).split('#');
  const schemes: string[] = [];
  const fallbacks: OpenedUrl[] = [];
  for (const extra of fragments.flatMap((fragment) => fragment.split(';'))) {
    const [name, value] = splitAt(extra, '=').map(decodeLeniently) as [string, string];
    if (name === 'scheme') schemes.push(value);
    // The letter is the type of an extra.
    else if (/^[A-Za-z]\.browser_fallback_url$/.test(name)) fallbacks.push({ url: value, isFallback: true });
  }
  const data = kind === 'intent' ? front : appData(front);
  const wrapped = schemes.map((name) => `${name}:${data}`);
  if (schemes.length === 0 && scheme.test(data)) wrapped.push(data);
  return [itself, ...wrapped.flatMap((url) => urlsOpenedBy(url, depth + 1)), ...fallbacks];
}

/**
 * The `intent:` URL that opens a deep link on Android and leads to `fallback` where no app opens it; an `intent:` URL as it is.
 * Null where there is none: browsers open web addresses without an intent, `android-app:` URLs have their own form, and only web
 * addresses can be a fallback.
 * @param fallback as in a Location header.
 */
export function androidIntentOf(link: string, fallback: string): string | null {
  const kind = schemeOf(link);
  if (kind === 'intent') return link;
  if (kind === undefined || kind === 'http' || kind === 'https' || kind === 'android-app') return null;
  // Browsers would read the link's own extras, as if they were those of the intent.
  if (/#intent;/i.test(link) || !/^https?:/i.test(fallback)) return null;
  const data = link.slice(kind.length + 1);
  return `intent:${data}#Intent;scheme=${kind};S.browser_fallback_url=${encodeURIComponent(fallback)};end`;
}

/** The web addresses that a deep link may open, each once. */
export function webAddressesOf(link: string): string[] {
  return [...new Set(urlsOpenedBy(link).flatMap(({ url }) => (/^https?:/i.test(url) ? url : [])))];
}

/** The URL that `android-app://package/scheme/host/path` opens. */
function appData(front: string): string {
  const [, name, rest = ''] = /^\/\/[^/]*\/([^/]*)\/?(.*)$/s.exec(front) ?? [];
  return name === undefined || name === '' ? '' : `${decodeLeniently(name)}://${rest}`;
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

// A byte order mark is a character here.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes valid escapes, as Android does; others stay. */
function decodeLeniently(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    utf8.decode(Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))),
  );
}
