/** Where links are served: scheme, platform domain and the port that both may bear. */
export interface Site {
  /** Host name of the platform domain, without its port. */
  readonly platformHost: string;
  /** The platform domain with its port, if any. */
  readonly platformDomain: string;
  /** The platform domain as short URLs show it, with its port. */
  readonly shownDomain: string;
  /** The short URL of a slug on a domain; the slug is percent-encoded UTF-8 (3.8). */
  originUrl(domain: string, slug: string): string;
  /** The host that links are looked up under for a visitor's: the platform's for what counts as it (4.1), else the same. */
  servedHost(host: string): string;
  /** The host and slug that a web address would be looked up under if its host is one of ours; undefined: it cannot be. */
  parse(url: string): ShortAddress | undefined;
}

/** A place that a short link may have: a host name in punycode and a slug in NFC. */
export interface ShortAddress {
  host: string;
  slug: string;
}

/** Settings of `createSite`. */
interface SiteOptions {
  scheme: 'http' | 'https';
  /** Host name, with a port where the edge is not reached at the scheme's own. */
  platformDomain: string;
  /** The address that short URLs show in place of a platform domain that begins with localhost. */
  platformAddress?: string;
  /** Whether a host is an address of this machine; asked while the platform domain begins with localhost (4.1). */
  isOwnAddress?(host: string): boolean;
}

/** Makes a site. */
export function createSite({ scheme, platformDomain, platformAddress, isOwnAddress = () => false }: SiteOptions): Site {
  const [platformHost = '', port = ''] = platformDomain.split(':');
  const suffix = port === '' ? '' : `:${port}`;
  // As URLs have it: none where it is the scheme's own.
  const parsedPort = URL.parse(`${scheme}://${platformDomain}`)?.port ?? port;
  const isLocal = platformHost.startsWith('localhost');
  const address = platformAddress?.includes(':') ? `[${platformAddress}]` : platformAddress;
  const shownHost = (isLocal ? address : undefined) ?? platformHost;
  const servedHost = (host: string): string => (isLocal && isOwnAddress(host) ? platformHost : host);
  return {
    platformHost,
    platformDomain,
    shownDomain: `${shownHost}${suffix}`,
    originUrl(domain, slug) {
      const host = domain === platformHost ? shownHost : domain;
      return `${scheme}://${host}${suffix}/${encodeURIComponent(slug)}`;
    },
    servedHost,
    parse(url) {
      const parsed = URL.parse(url);
      if (parsed === null || parsed.port !== parsedPort) return undefined;
      const slug = decodeSlug(parsed.pathname);
      return slug === undefined ? undefined : { host: servedHost(parsed.hostname.replace(/\.$/, '')), slug };
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
