import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

/** Values of a record; empty: no such name or record; `error`: the name server gave no answer. */
export type DnsFinding = string[] | 'error';

export type Asker = ReturnType<typeof createAsker>;

// Two tries; the second one waits twice as long.
const firstTryMs = 2_000;
const tries = 2;
// These codes mean: no such name, no such record, or a name too long to exist.
const noRecords = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Queries one name server. A failed query is a finding; nothing is thrown. Queries by UDP, and by TCP where an answer is truncated.
 * @param server `address:port`; undefined: the system's name servers, one after the other.
 */
export function createAsker(server: string | undefined) {
  const resolver = new Resolver({ timeout: firstTryMs, tries });
  if (server !== undefined) resolver.setServers([server]);
  return {
    /** TXT records, the strings of each joined. */
    txt: (name: string) => find(async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    /** CNAME targets, lower-case and without a trailing dot. */
    cname: (name: string) => find(async () => (await resolver.resolveCname(name)).map(normalizeName)),
    /** IPv4 addresses, aliases followed. */
    a: (name: string) => find(() => resolver.resolve4(name)),
    /** IPv6 addresses in their shortest form, aliases followed. */
    aaaa: (name: string) => find(async () => (await resolver.resolve6(name)).map(normalizeAddress)),
    /** Whether the name is the top of a zone; false too where no answer says so. */
    isZone: (name: string): Promise<boolean> =>
      resolver.resolveSoa(name).then(
        () => true,
        () => false,
      ),
    /** Ends running queries as errors. */
    cancel: () => resolver.cancel(),
  };
}

async function find(ask: () => Promise<string[]>): Promise<DnsFinding> {
  try {
    return await ask();
  } catch (error) {
    return noRecords.has((error as { code?: string }).code ?? '') ? [] : 'error';
  }
}

/** A host name in the form in which names are compared. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** An address in its shortest form. */
export function normalizeAddress(address: string): string {
  return ipaddr.parse(address).toString();
}
