import { webAddressesOfDestination } from '#core/links/destination.ts';
import type { ShortAddress, Site } from '#core/links/site.ts';
import { slugKey } from '#core/links/slug.ts';
import type { Transaction } from '#db/connection/database.ts';
import { type ChainRow, lockChains, readChainRows } from '#db/links/chains.ts';

/** Where short URLs lead, as far as it was read: chains of links that lead to links. */
export interface LinkChains {
  /** Whether a web address is a short URL from which a chain of up to five links leads to `address`. */
  leadsTo(url: string, address: ShortAddress): boolean;
  /** The same, to any short URL of a host that is no link: visitors of those are sent to the domain's fallback. */
  leadsToNoLinkOf(url: string, host: string): boolean;
  /** Writes down where a link leads now. */
  note(address: ShortAddress, urls: readonly string[]): void;
}

/** Links in a chain that are followed (3.5). */
const maxLinks = 5;
const rowsAtOnce = 500;
// What one call may have read: 100 links with 100 rules each that lead to links stay below.
const maxRows = 20_000;

/** A short URL on one of our hosts: a link, or none. */
interface Place {
  isLink: boolean;
  host: string;
  /** Keys of the places that it leads to; those of other hosts have no place. */
  next: string[];
}

/** Chains where nothing leads to our hosts. */
export function noChains(site: Site): LinkChains {
  return createChains(new Map(), site);
}

/**
 * Reads the chains that begin at web addresses, once nobody else is about to change any (`lockChains`): to be called where some
 * of them are on our hosts.
 */
export async function readLinkChains(tx: Transaction, urls: readonly string[], site: Site): Promise<LinkChains> {
  await lockChains(tx);
  const places = new Map<string, Place>();
  let frontier = addressesOf(urls, site);
  for (let link = 1; link <= maxLinks && frontier.size > 0; link += 1) {
    const next = new Map<string, ShortAddress>();
    for (const row of await readRows(tx, [...frontier.values()])) {
      const leads = addressesOf(urlsOf(row), site);
      places.set(keyOf(row), { isLink: row.destinations !== null, host: row.host, next: [...leads.keys()] });
      for (const [key, address] of leads) if (!places.has(key)) next.set(key, address);
    }
    for (const key of places.keys()) next.delete(key);
    frontier = places.size < maxRows ? next : new Map();
  }
  return createChains(places, site);
}

async function readRows(tx: Transaction, addresses: readonly ShortAddress[]): Promise<ChainRow[]> {
  const rows: ChainRow[] = [];
  for (let start = 0; start < addresses.length; start += rowsAtOnce) {
    rows.push(...(await readChainRows(tx, addresses.slice(start, start + rowsAtOnce))));
  }
  return rows;
}

function createChains(places: Map<string, Place>, site: Site): LinkChains {
  /** Whether a chain from a web address comes to a place that is `wanted`. */
  function comesTo(url: string, isWanted: (key: string) => boolean): boolean {
    const seen = new Set<string>();
    let frontier = [...addressesOf([url], site).keys()];
    for (let link = 0; link <= maxLinks && frontier.length > 0; link += 1) {
      if (frontier.some(isWanted)) return true;
      for (const key of frontier) seen.add(key);
      frontier = [...new Set(frontier.flatMap((key) => places.get(key)?.next ?? []))].filter((key) => !seen.has(key));
    }
    return false;
  }

  return {
    leadsTo: (url, address) => comesTo(url, (key) => key === keyOf(address)),
    leadsToNoLinkOf: (url, host) =>
      comesTo(url, (key) => {
        const place = places.get(key);
        return place?.host === host && !place.isLink;
      }),
    note(address, urls) {
      places.set(keyOf(address), { isLink: true, host: address.host, next: [...addressesOf(urls, site).keys()] });
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
