import { webAddressesOfDestination } from '#core/links/destination.ts';
import type { ShortAddress, Site } from '#core/links/site.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockName } from '#db/connection/locks.ts';
import { type ChainRow, readChainRows } from '#db/links/slugs/chains.ts';

/** Where short URLs lead, as far as they were read: chains of links that lead to links. */
export interface LinkChains {
  /** Whether a chain of up to five links leads from a web address to `address`; an empty slug is the domain's fallback. */
  leadsTo(url: string, address: ShortAddress): boolean;
  /** Adds a link that this call creates or changes. */
  remember(address: ShortAddress, urls: readonly string[]): void;
}

/** Promised (3.5). */
const maxLinks = 5;
const rowsAtOnce = 500;
// 100 links with 100 rules each, all leading to links, stay below.
const maxRows = 20_000;

/**
 * The addresses on our hosts that links and fallbacks lead to, by their keys. An address counts for all its candidates, also where
 * a link has its exact slug: that link may be deleted or turned off, and nothing is checked then.
 */
type Leads = Map<string, string[]>;

export function emptyChains(site: Site): LinkChains {
  return createChains(new Map(), site);
}

/**
 * Reads the chains that begin at web addresses, and keeps other transactions from changing any. For calls where some of the
 * addresses are on our hosts. Chains pass verified domains, and domains of `organizationIds` that may be verified later.
 */
export async function readLinkChains(
  em: EntityManager,
  { urls, organizationIds }: { urls: readonly string[]; organizationIds: readonly string[] },
  site: Site,
): Promise<LinkChains> {
  // Transactions that write links or domains which lead to our own hosts run one after the other, so that each sees the others'
  // chains. Such links are rare: one lock for all of them suffices (ADR 20).
  await lockName(em, 'link chains');
  const leads: Leads = new Map();
  let frontier = addressesOf(urls, site);
  for (let link = 1; link <= maxLinks && frontier.size > 0; link += 1) {
    const next = new Map<string, ShortAddress>();
    for (const row of await readRows(em, [...frontier.values()], organizationIds)) {
      const addresses = addressesOf(urlsOf(row), site);
      // Two organizations may have domains of one name.
      leads.set(keyOf(row), [...(leads.get(keyOf(row)) ?? []), ...addresses.keys()]);
      for (const [key, address] of addresses) next.set(key, address);
    }
    for (const key of leads.keys()) next.delete(key);
    frontier = leads.size < maxRows ? next : new Map();
  }
  return createChains(leads, site);
}

async function readRows(
  em: EntityManager,
  addresses: readonly ShortAddress[],
  organizationIds: readonly string[],
): Promise<ChainRow[]> {
  const rows: ChainRow[] = [];
  for (let start = 0; start < addresses.length; start += rowsAtOnce) {
    rows.push(...(await readChainRows(em, addresses.slice(start, start + rowsAtOnce), organizationIds)));
  }
  return rows;
}

function createChains(leads: Leads, site: Site): LinkChains {
  return {
    leadsTo(url, address) {
      const wanted = keyOf(address);
      const seen = new Set<string>();
      let frontier = [...addressesOf([url], site).keys()];
      for (let link = 0; link <= maxLinks && frontier.length > 0; link += 1) {
        if (frontier.includes(wanted)) return true;
        for (const key of frontier) seen.add(key);
        frontier = [...new Set(frontier.flatMap((key) => leads.get(key) ?? []))].filter((key) => !seen.has(key));
      }
      return false;
    },
    remember(address, urls) {
      leads.set(keyOf(address), [...addressesOf(urls, site).keys()]);
    },
  };
}

const keyOf = ({ host, slug }: ShortAddress): string => `${host}/${slugKey(slug)}`;

function addressesOf(urls: readonly string[], site: Site): Map<string, ShortAddress> {
  return new Map(urls.flatMap((url) => site.candidatesOf(url)).map((address) => [keyOf(address), address]));
}

function urlsOf({ destinations, expiredUrl, fallbackUrl }: ChainRow): string[] {
  const elsewhere = destinations === null ? fallbackUrl : expiredUrl;
  return [...(destinations ?? []).flatMap(webAddressesOfDestination), ...(elsewhere === null ? [] : [elsewhere])];
}
