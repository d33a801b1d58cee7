import { toAsciiHost } from '#core/domains/idna.ts';

const plain = /^[\x21-\x7e]*$/;
const authority = /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#@\\]*@)?)([^/?#:@\\]*)/i;

/**
 * An address as it may stand in a Location header: the host in punycode where it is not ASCII, percent-encoded UTF-8 for
 * all else outside printable ASCII (RFC 3986), every other byte as it was. No header can be smuggled in.
 */
export function toLocation(url: string): string {
  if (plain.test(url)) return url;
  const match = authority.exec(url);
  if (match === null) return encodeRest(url);
  const [start, prefix = '', host = ''] = match;
  const asciiHost = plain.test(host) ? host : toAsciiHost(host);
  return encodeRest(prefix) + encodeRest(asciiHost === '' ? host : asciiHost) + encodeRest(url.slice(start.length));
}

/** The `mailto:` address of an e-mail address, with the characters escaped that have a meaning in URLs (RFC 6068). */
export function toMailto(address: string): string {
  const at = address.lastIndexOf('@');
  const local = encodeURIComponent(address.slice(0, at).toWellFormed()).replaceAll('%2B', '+');
  const host = address.slice(at + 1);
  return encodeRest(`mailto:${local}@${toAsciiHost(host) || host}`);
}

function encodeRest(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
}
