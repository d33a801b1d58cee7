import type { CompiledDomain, CompiledLink, CompiledDestination } from '#core/routing/compiled/compiled-link.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import { readCompiledDomains, readCompiledLinks } from '#db/links/visits/compiled.ts';
import type { LinkChange } from '#db/notifications/notify.ts';
import { createCache, type Scope } from './cache.ts';
import type { Reader } from './reader.ts';

/** Asked before a read of what is not in memory, even out of date: why the visitor may not cause it. */
type Refuse = () => Error | undefined;

export type Lookup = ReturnType<typeof createLookup>;

/** `isStale`: whether the listener is stale, so that notifications may be missed at this moment. */
interface LookupOptions {
  reader: Reader;
  isStale(): boolean;
  /** Unix time in milliseconds. */
  now(): number;
}

const maxLinks = 50_000;
// 50,000 links without rules take 45 MiB; an edge is to stay within 200 MB.
const maxLinkBytes = 64 * 1_024 * 1_024;
const maxDomains = 10_000;
const maxDomainBytes = 16 * 1_024 * 1_024;
const linkAgeMs = 300_000;
const domainAgeMs = 10_000;

/**
 * Finds domains and links, and caches them in bounded memory. `domain` and `link` reject with DatabaseUnreachableError where one is not
 * cached and cannot be read.
 */
export function createLookup({ reader, isStale, now }: LookupOptions) {
  const shared = { isUnreachable: () => reader.isUnreachable(), isStale, now };
  const hosts: Scope = { id: 'hosts', prefix: '', epoch: 0 };
  const domains = createCache<CompiledDomain>({
    ...shared,
    max: maxDomains,
    maxBytes: maxDomainBytes,
    bytesOf: sizeOfDomain,
    maxAgeMs: domainAgeMs,
    load: (_scope, keys) => readCompiledDomains(reader, keys),
  });
  const links = createCache<CompiledLink>({
    ...shared,
    max: maxLinks,
    maxBytes: maxLinkBytes,
    bytesOf: sizeOfLink,
    maxAgeMs: linkAgeMs,
    load: (scope, slugs) => readCompiledLinks(reader, scope.id, slugs),
  });
  /** By domain id: as many as there are domains. */
  const scopes = new Map<string, Scope>();

  function scopeOf(domainId: string): Scope {
    let scope = scopes.get(domainId);
    if (scope === undefined) scopes.set(domainId, (scope = { id: domainId, prefix: `${scopes.size}/`, epoch: 0 }));
    return scope;
  }

  function onGap(): void {
    domains.flush();
    links.flush();
  }

  return {
    /** The domain served under a host (lower-case punycode), or null. */
    domain: (host: string, refuse?: Refuse) => domains.get(hosts, host, refuse),
    /** A link of a domain, or null. */
    link: (domain: CompiledDomain, slug: string, refuse?: Refuse) => links.get(scopeOf(domain.id), slug, refuse),
    /** Invalidates the domain or links that a notification on `channels.links` names. */
    onChange(payload: string): void {
      const { domainId, slugs } = parseChange(payload);
      // Unknown to this version: anything may have changed.
      if (typeof domainId !== 'string') return onGap();
      if (slugs !== undefined) return links.invalidate(scopeOf(domainId), slugs.map(slugKey));
      domains.invalidateScope(hosts);
      links.invalidateScope(scopeOf(domainId));
    },
    /** Invalidates everything: notifications may have been missed. */
    onGap,
    /** Hits, misses and sizes of the caches. */
    counts: () => ({ domains: domains.counts(), links: links.counts() }),
  };
}

function parseChange(payload: string): Partial<LinkChange> {
  try {
    return (JSON.parse(payload) ?? {}) as Partial<LinkChange>;
  } catch {
    return {};
  }
}

/** Estimates of the memory that values take, in bytes: rather too high than too low. Called once for each value read. */

// Objects and heads of strings of a link without rules and meta tags: 700 bytes measured on Node 24.
const linkBytes = 800;
const ruleBytes = 400;
const domainBytes = 400;
const idBytes = 56;

const beyondLatin1 = /[^\0-\u00ff]/;

/** Estimated bytes of a compiled link. */
function sizeOfLink(link: CompiledLink): number {
  let bytes = linkBytes + sizeOfText(link.expiredLocation) + sizeOfText(link.passwordHash);
  bytes += sizeOfDestination(link.destination) + link.tagIds.length * 8;
  for (const value of link.utm) bytes += sizeOfText(value);
  const { metaTags } = link;
  if (metaTags !== null) {
    bytes += sizeOfText(metaTags.title) + sizeOfText(metaTags.description) + sizeOfText(metaTags.imageKey);
  }
  for (const { countries, languages, osTypes, destination } of link.rules) {
    bytes += ruleBytes + sizeOfDestination(destination);
    bytes += ((countries?.length ?? 0) + (languages?.length ?? 0) + (osTypes?.length ?? 0)) * (idBytes / 2);
  }
  return bytes;
}

/** Estimated bytes of a compiled domain. */
function sizeOfDomain(domain: CompiledDomain): number {
  return (
    domainBytes +
    sizeOfText(domain.domain) +
    sizeOfText(domain.fallbackLocation) +
    sizeOfText(domain.appleAppSiteAssociation) +
    sizeOfText(domain.androidAssetLinks)
  );
}

function sizeOfDestination({ url, location, iosDeepLink, androidDeepLink }: CompiledDestination): number {
  // One string where the address needed no change.
  const ofLocation = location === url ? 0 : sizeOfText(location);
  return sizeOfText(url) + ofLocation + sizeOfText(iosDeepLink) + sizeOfText(androidDeepLink);
}

function sizeOfText(text: string | null): number {
  if (text === null) return 0;
  return beyondLatin1.test(text) ? 2 * text.length : text.length;
}
