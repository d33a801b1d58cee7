import { domainToASCII } from 'node:url';

const simple = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
// Characters that end a host in a URL, and the escape that would hide them.
const foreign = /[\s/?#@:%\\]/;
const maxLength = 253;

/**
 * The host of a Host header as domains are stored: lower-case punycode, without port and one trailing dot; null where
 * there is none. Bytes beyond ASCII are read as UTF-8.
 */
export function normalizeHost(header: string | undefined): string | null {
  if (header === undefined) return null;
  const colon = header.lastIndexOf(':');
  // In an IPv6 literal the last colon may be one of its own.
  let host = colon !== -1 && colon > header.lastIndexOf(']') ? header.slice(0, colon) : header;
  if (host.endsWith('.')) host = host.slice(0, -1);
  if (!simple.test(host)) {
    if (host.startsWith('[')) return host.toLowerCase();
    if (foreign.test(host)) return null;
    host = domainToASCII(Buffer.from(host, 'latin1').toString('utf8'));
  }
  return host === '' || host.length > maxLength ? null : host;
}
