import { domainToASCII } from 'node:url';

const simple = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
// Characters that end a host in a URL, and the escape that would hide them.
const foreign = /[\s/?#@:%\\]/;
const maxLength = 253;
// Of a name in UTF-8, which may be longer than its punycode.
const maxHeaderLength = 1_024;
const port = /^:\d{1,5}$/;

/**
 * The host of a Host header as domains are stored: lower-case punycode, without port and one trailing dot; null where
 * there is none, undefined where what stands for the port is none (4.1). Bytes beyond ASCII are read as UTF-8.
 */
export function normalizeHost(header: string | undefined): string | null | undefined {
  if (header === undefined) return null;
  const colon = header.lastIndexOf(':');
  let host = header;
  // In an IPv6 literal the last colon may be one of its own.
  if (colon !== -1 && colon > header.lastIndexOf(']')) {
    if (!port.test(header.slice(colon))) return undefined;
    host = header.slice(0, colon);
  }
  if (host.length > maxHeaderLength) return null;
  if (host.endsWith('.')) host = host.slice(0, -1);
  if (!simple.test(host)) {
    if (host.startsWith('[')) return host.toLowerCase();
    if (foreign.test(host)) return host.includes(':') ? undefined : null;
    host = domainToASCII(Buffer.from(host, 'latin1').toString('utf8'));
  }
  return host === '' || host.length > maxLength ? null : host;
}
