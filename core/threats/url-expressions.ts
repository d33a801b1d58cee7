import { hash } from 'node:crypto';
import ipaddr from 'ipaddr.js';

/**
 * A URL in the form that Web Risk hashes: ASCII, with every other byte and the characters `#` and `%` percent-encoded. Port,
 * fragment and user are gone.
 */
export interface CanonicalUrl {
  scheme: string;
  host: string;
  /** Begins with `/`. */
  path: string;
  /** Without its `?`; undefined: the URL has none. */
  query: string | undefined;
  /** The host is an IP address. */
  isAddress: boolean;
}

const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Canonicalises a URL by the rules of Web Risk (https://cloud.google.com/web-risk/docs/urls-hashing), after the parser that
 * browsers use: it knows international names, backslashes and users before the host. What that parser refuses is read as it is,
 * byte by byte. Takes time in proportion to the URL's length.
 * @returns undefined: the URL has no host.
 */
export function canonicalUrl(url: string): CanonicalUrl | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return canonicalBytes(Buffer.from(url.trim(), 'utf8').toString('latin1'));
  parsed.hash = '';
  parsed.username = '';
  parsed.password = '';
  return canonicalBytes(parsed.href);
}

/** `canonicalUrl` without the parser of browsers. @param bytes a character for each byte (latin1). */
export function canonicalBytes(bytes: string): CanonicalUrl | undefined {
  const whole = unescapeFully(bytes.replaceAll(/[\t\r\n]/g, '').split('#', 1)[0]!);
  const [prefix = '', scheme = 'http'] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(whole) ?? [];
  const rest = whole.slice(prefix.length);
  const authorityLength = rest.search(/[/?]/);
  const authority = authorityLength === -1 ? rest : rest.slice(0, authorityLength);
  const { host, isAddress } = canonicalHost(authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, ''));
  if (host === '') return undefined;
  const target = authorityLength === -1 ? '' : rest.slice(authorityLength);
  const queryAt = target.indexOf('?');
  return {
    scheme: scheme.toLowerCase(),
    host: escape(host),
    path: escape(canonicalPath(queryAt === -1 ? target : target.slice(0, queryAt))),
    query: queryAt === -1 ? undefined : escape(target.slice(queryAt + 1)),
    isAddress,
  };
}

const hexValue = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
};
const percent = 0x25;

/**
 * Percent-decodes until no escape is left. One pass: a decoded character may complete an escape before it, so the end of the
 * output is looked at again. Passes over the whole text, as many as escapes are nested, would take quadratic time.
 */
function unescapeFully(text: string): string {
  if (!text.includes('%')) return text;
  const output = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    output[length] = text.charCodeAt(index);
    length += 1;
    while (length >= 3 && output[length - 3] === percent) {
      const high = hexValue(output[length - 2]!);
      const low = hexValue(output[length - 1]!);
      if (high === -1 || low === -1) break;
      length -= 2;
      output[length - 1] = high * 16 + low;
    }
  }
  return output.toString('latin1', 0, length);
}

const escape = (text: string): string =>
  text.replaceAll(
    // Each byte but the printable ones of ASCII; of these # and % as well.
    /[^!"$&-~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

function canonicalHost(text: string): { host: string; isAddress: boolean } {
  // Letters of ASCII alone: others are bytes here.
  const host = text
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^\./, '')
    .replace(/\.$/, '')
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const address = host.startsWith('[') ? canonicalIpv6(host) : canonicalIpv4(host);
  return { host: address ?? host, isAddress: address !== undefined };
}

/** One to four numbers, decimal, octal (`0…`) or hexadecimal (`0x…`); the last one fills the bytes that are left. */
function canonicalIpv4(host: string): string | undefined {
  const parts = host.split('.');
  if (parts.length > 4) return undefined;
  let address = 0;
  for (const [index, part] of parts.entries()) {
    const value = ipv4Part(part);
    const bytes = index === parts.length - 1 ? 5 - parts.length : 1;
    if (value === undefined || value >= 256 ** bytes) return undefined;
    address = address * 256 ** bytes + value;
  }
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

function ipv4Part(part: string): number | undefined {
  if (/^0x[0-9a-f]{1,12}$/.test(part)) return Number.parseInt(part.slice(2), 16);
  if (/^0[0-7]{0,14}$/.test(part)) return Number.parseInt(part, 8);
  return /^[1-9]\d{0,11}$/.test(part) ? Number(part) : undefined;
}

/** An address in brackets; one that stands for an IPv4 address is written as that. */
function canonicalIpv6(host: string): string | undefined {
  const text = host.slice(1, -1);
  if (!host.endsWith(']') || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  if (address.match(nat64)) return new ipaddr.IPv4(address.toByteArray().slice(-4)).toString();
  return `[${address.toRFC5952String()}]`;
}

/** Resolves `/./` and `/../`, then makes one slash of several. */
function canonicalPath(path: string): string {
  const segments: string[] = [];
  const parts = path.split('/').slice(1);
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (part === '..') segments.pop();
    if (part !== '..' && part !== '.') segments.push(part);
    else if (isLast) segments.push('');
  }
  return `/${segments.join('/')}`.replaceAll(/\/{2,}/g, '/');
}

// Limits of https://cloud.google.com/web-risk/docs/urls-hashing: up to 5 hosts, each with up to 6 paths.
const maxLabels = 5;
const maxFolders = 4;

/**
 * Lists the expressions whose hashes Web Risk's lists may hold for a URL: its host and the domains above it, each with the path
 * with and without query, and with the folders above the path. At most 30, each once.
 */
export function urlExpressions({ host, path, query, isAddress }: CanonicalUrl): string[] {
  const hosts = new Set([host]);
  const labels = host.split('.');
  if (!isAddress) {
    // The top-level domain alone is left out.
    for (let from = Math.max(0, labels.length - maxLabels); from <= labels.length - 2; from += 1)
      hosts.add(labels.slice(from).join('.'));
  }
  const paths = new Set(query === undefined ? [path] : [`${path}?${query}`, path]);
  let end = 0;
  for (let folders = 0; folders < maxFolders && end !== -1; folders += 1) {
    paths.add(path.slice(0, end + 1));
    end = path.indexOf('/', end + 1);
  }
  return [...hosts].flatMap((each) => [...paths].map((its) => each + its));
}

/** SHA-256 of each expression of a URL; undefined: the URL has no host. */
export function urlHashes(url: string): Buffer[] | undefined {
  const canonical = canonicalUrl(url);
  return canonical && urlExpressions(canonical).map((expression) => hash('sha256', expression, 'buffer'));
}
