import { webAddressesOfDestination } from '#core/links/destination.ts';
import type { ShortAddress, Site } from '#core/links/site.ts';
import { slugKey } from '#core/links/slug.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockName } from '#db/connection/locks.ts';
import { type ChainRow, readChainRows } from '#db/links/chains.ts';

/** Where short URLs lead, as far as they were read: chains of links that lead to links. */
export interface LinkChains {
  /** Whether a chain of up to five links leads from a web address to `address`. */
  leadsTo(url: string, address: ShortAddress): boolean;
  /** Whether such a chain leads to a short URL of a host that is no link: its visitors are sent to the domain's fallback. */
  leadsToNoLinkOf(url: string, host: string): boolean;
  /** Adds a link that this call creates or changes. */
  remember(address: ShortAddress, urls: readonly string[]): void;
}

/** Promised (3.5). */
const maxLinks = 5;
const rowsAtOnce = 500;
// 100 links with 100 rules each, all leading to links, stay below.
const maxRows = 20_000;

/** A short URL on one of our hosts: a link, or none. */
interface ShortUrl {
  isLink: boolean;
  host: string;
  /** Keys of the short URLs on our hosts that it leads to. */
  next: string[];
}

/** Chains of links that lead to no host of ours. */
export function emptyChains(site: Site): LinkChains {
  return createChains(new Map(), site);
}

/**
 * Reads the chains that begin at web addresses, and keeps other transactions from changing any. For calls where some of the
 * addresses are on our hosts.
 */
export async function readLinkChains(em: EntityManager, urls: readonly string[], site: Site): Promise<LinkChains> {
  // Transactions that write links or domains which lead to our own hosts run one after the other, so that each sees the others'
  // chains. Such links are rare: one lock for all of them suffices (ADR 20).
  await lockName(em, 'link chains');
  const shortUrls = new Map<string, ShortUrl>();
  let frontier = addressesOf(urls, site);
  for (let link = 1; link <= maxLinks && frontier.size > 0; link += 1) {
    const next = new Map<string, ShortAddress>();
    for (const row of await readRows(em, [...frontier.values()])) {
      const leads = addressesOf(urlsOf(row), site);
      shortUrls.set(keyOf(row), { isLink: row.destinations !== null, host: row.host, next: [...leads.keys()] });
      for (const [key, address] of leads) if (!shortUrls.has(key)) next.set(key, address);
    }
    for (const key of shortUrls.keys()) next.delete(key);
    frontier = shortUrls.size < maxRows ? next : new Map();
  }
  return createChains(shortUrls, site);
}

async function readRows(em: EntityManager, addresses: readonly ShortAddress[]): Promise<ChainRow[]> {
  const rows: ChainRow[] = [];
  for (let start = 0; start < addresses.length; start += rowsAtOnce) {
    rows.push(...(await readChainRows(em, addresses.slice(start, start + rowsAtOnce))));
  }
  return rows;
}

function createChains(shortUrls: Map<string, ShortUrl>, site: Site): LinkChains {
  /** Whether a chain from a web address reaches a short URL that is `wanted`. */
  function comesTo(url: string, isWanted: (key: string) => boolean): boolean {
    const seen = new Set<string>();
    let frontier = [...addressesOf([url], site).keys()];
    for (let link = 0; link <= maxLinks && frontier.length > 0; link += 1) {
      if (frontier.some(isWanted)) return true;
      for (const key of frontier) seen.add(key);
      frontier = [...new Set(frontier.flatMap((key) => shortUrls.get(key)?.next ?? []))].filter(
        (key) => !seen.has(key),
      );
    }
    return false;
  }

  return {
    leadsTo: (url, address) => comesTo(url, (key) => key === keyOf(address)),
    leadsToNoLinkOf: (url, host) =>
      comesTo(url, (key) => {
        const shortUrl = shortUrls.get(key);
        return shortUrl?.host === host && !shortUrl.isLink;
      }),
    remember(address, urls) {
      shortUrls.set(keyOf(address), { isLink: true, host: address.host, next: [...addressesOf(urls, site).keys()] });
    },
  };
}

const keyOf = ({ host, slug }: ShortAddress): string => `${host}/${slugKey(slug)}`;

function addressesOf(urls: readonly string[], site: Site): Map<string, ShortAddress> {
  const addresses = urls.flatMap((url) => site.parse(url) ?? []);
  return new Map(addresses.map((address) => [keyOf(address), address]));
}

function urlsOf({ destinations, expiredUrl, fallbackUrl }: ChainRow): string[] {
  const elsewhere = destinations === null ? fallbackUrl : expiredUrl;
  return [...(destinations ?? []).flatMap(webAddressesOfDestination), ...(elsewhere === null ? [] : [elsewhere])];
}
