// A year, the least that preload lists and scanners ask for. Without includeSubDomains: names below a customer's domain
// are the customer's own, and may be served by plain http.
const maxAgeSeconds = 31_536_000;

/**
 * The header of every answer of a server that clients reach by https: browsers then refuse plain http for its host (RFC 6797).
 * Empty for http, over which the header must not be sent.
 */
export function transportSecurity(isHttps: boolean): Readonly<Record<string, string>> {
  return isHttps ? { 'strict-transport-security': `max-age=${maxAgeSeconds}` } : {};
}
