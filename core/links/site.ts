/** Where links are served: scheme, platform domain and its port. */
export interface Site {
  /** Host name of the platform domain, without its port. */
  readonly platformHost: string;
  /** The platform domain with its port, if any. */
  readonly platformDomain: string;
  /** The platform domain as short URLs show it, with its port. */
  readonly shownDomain: string;
  /** The short URL of a slug on a domain; the slug is percent-encoded UTF-8 (3.8). */
  originUrl(domain: string, slug: string): string;
  /** The host under which a visitor's host is looked up: the platform's for its other names (4.1), else the same. */
  servedHost(host: string): string;
  /** Host and slug under which a web address would be looked up, if its host is ours; undefined: it cannot be a short URL. */
  parse(url: string): ShortAddress | undefined;
}

/** Address of a short link: a host name in punycode and a slug in NFC. */
export interface ShortAddress {
  host: string;
  slug: string;
}

interface SiteOptions {
  scheme: 'http' | 'https';
  /** Host name, with its port where that is not the default of the scheme. */
  platformDomain: string;
  /** Shown in short URLs in place of a platform domain that begins with localhost. */
  platformAddress?: string;
  /** Whether a host is an address of this machine; asked while the platform domain begins with localhost (4.1). */
  isOwnAddress?(host: string): boolean;
}

export function createSite({ scheme, platformDomain, platformAddress, isOwnAddress = () => false }: SiteOptions): Site {
  const [platformHost = '', port = ''] = platformDomain.split(':');
  const suffix = port === '' ? '' : `:${port}`;
  // As in URLs: empty where it is the default of the scheme.
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
