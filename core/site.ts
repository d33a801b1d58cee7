/** Where links are served: scheme, platform domain and the port that both may bear. */
export interface Site {
  /** Host name of the platform domain, without its port. */
  readonly platformHost: string;
  /** The platform domain as answers hold it in addresses: with its port, if any. */
  readonly platformDomain: string;
  /** The short URL of a slug on a domain; the slug is percent-encoded UTF-8 (3.8). */
  originUrl(domain: string, slug: string): string;
  /** The host and slug that a web address would be looked up under if its host is one of ours; undefined: it cannot be. */
  parse(url: string): ShortAddress | undefined;
}

/** A place that a short link may have: a host name in punycode and a slug in NFC. */
export interface ShortAddress {
  host: string;
  slug: string;
}

/** @param platformDomain host name, with a port where the edge is not reached at the scheme's own. */
export function createSite({ scheme, platformDomain }: { scheme: 'http' | 'https'; platformDomain: string }): Site {
  const [platformHost = '', port = ''] = platformDomain.split(':');
  const suffix = port === '' ? '' : `:${port}`;
  // As URLs have it: none where it is the scheme's own.
  const parsedPort = URL.parse(`${scheme}://${platformDomain}`)?.port ?? port;
  return {
    platformHost,
    platformDomain,
    originUrl: (domain, slug) => `${scheme}://${domain}${suffix}/${encodeURIComponent(slug)}`,
    parse(url) {
      const parsed = URL.parse(url);
      if (parsed === null || parsed.port !== parsedPort) return undefined;
      const slug = decodeSlug(parsed.pathname);
      return slug === undefined ? undefined : { host: parsed.hostname.replace(/\.$/, ''), slug };
    },
  };
}

function decodeSlug(pathname: string): string | undefined {
  const segment = pathname.slice(1).replace(/\/$/, '');
  if (segment === '' || segment.includes('/')) return undefined;
  try {
    return decodeURIComponent(segment).normalize('NFC');
  } catch {
    return undefined;
  }
}
