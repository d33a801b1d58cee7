import { pastedSlugOf, slugOf } from './slugs/slug-of-path.ts';

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
  /**
   * All addresses under which the edge may look a web address up, if its host is ours: its slug, the slug without what was
   * pasted behind it (4.2), and the host with an empty slug, which stands for the domain's fallback (4.3).
   */
  candidatesOf(url: string): ShortAddress[];
  /** Whether a web address is on a host: it bears its name, on any port, or is another address of the platform domain. */
  isOn(url: string, host: string): boolean;
}

/** Address of a short link: a host name in punycode and a slug in NFC, without variation selectors (`slugKey`). */
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

  /** The host of ours that a web address has, as far as its port tells, and its path. */
  function locate(url: string): { host: string; path: string } | undefined {
    const parsed = URL.parse(url);
    if (parsed === null || parsed.port !== parsedPort) return undefined;
    return { host: servedHost(hostNameOf(parsed)), path: parsed.pathname };
  }

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
      const address = locate(url);
      const slug = address && slugOf(address.path);
      return slug ? { host: address.host, slug } : undefined;
    },
    candidatesOf(url) {
      const address = locate(url);
      if (address === undefined || address.path.startsWith('/.well-known/')) return [];
      const slugs = new Set([slugOf(address.path), pastedSlugOf(address.path), '']);
      return [...slugs].flatMap((slug) => (slug === null ? [] : { host: address.host, slug }));
    },
    isOn(url, host) {
      const parsed = URL.parse(url);
      return parsed !== null && (hostNameOf(parsed) === host || locate(url)?.host === host);
    },
  };
}

const hostNameOf = (url: URL): string => url.hostname.replace(/\.$/, '');
