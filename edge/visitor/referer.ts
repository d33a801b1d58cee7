const maxLength = 253;
const scheme = /^[a-z][a-z0-9+.-]*$/i;
const simple = /^[a-z0-9._-]+$/;
const ipv6 = /^\[[0-9a-f:.]+\]/;

/** The host of a Referer header, lower-case and without port; null where there is none. */
export function refererHost(header: string | undefined): string | null {
  if (header === undefined) return null;
  const start = header.indexOf('://') + 3;
  // A `://` behind a path or a query belongs to another address.
  if (start < 4 || !scheme.test(header.slice(0, start - 3))) return null;
  let from = start;
  let end = start;
  // Up to the first of / ? # \ and, before that, from behind the last @.
  for (; end < header.length; end += 1) {
    const code = header.charCodeAt(end);
    if (code === 47 || code === 63 || code === 35 || code === 92) break;
    if (code === 64) from = end + 1;
  }
  const authority = header.slice(from, end).toLowerCase();
  if (authority.startsWith('[')) return ipv6.exec(authority)?.[0] ?? null;
  const colon = authority.indexOf(':');
  const host = colon === -1 ? authority : authority.slice(0, colon);
  return host.length <= maxLength && simple.test(host) ? host : null;
}
