import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

/** What a name server said: the values, none where there is no such name or record, or that it could not be asked. */
export type DnsFinding = string[] | 'error';

/** Asks one name server; a question that cannot be answered is a finding and throws nothing. */
export interface Asker {
  /** Each record's strings, joined. */
  txt(name: string): Promise<DnsFinding>;
  /** Where a name is an alias of, lower-case and without a trailing dot. */
  cname(name: string): Promise<DnsFinding>;
  /** IPv4 addresses, aliases followed. */
  a(name: string): Promise<DnsFinding>;
  /** IPv6 addresses in their shortest form, aliases followed. */
  aaaa(name: string): Promise<DnsFinding>;
  /** Ends the questions under way as errors. */
  cancel(): void;
}

// The second try waits twice as long as the first.
const firstTryMs = 2_000;
const tries = 2;
// The name does not exist, has no such record, or is too long to exist.
const noRecords = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Asks by UDP, and by TCP where an answer is too long for that.
 * @param server `address:port`; undefined: those of the system, one after the other.
 */
export function createAsker(server: string | undefined): Asker {
  const resolver = new Resolver({ timeout: firstTryMs, tries });
  if (server !== undefined) resolver.setServers([server]);
  return {
    txt: (name) => find(async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    cname: (name) => find(async () => (await resolver.resolveCname(name)).map(normalizeName)),
    a: (name) => find(() => resolver.resolve4(name)),
    aaaa: (name) => find(async () => (await resolver.resolve6(name)).map(normalizeAddress)),
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

/** A host name as it is compared. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** An address in its shortest form. */
export function normalizeAddress(address: string): string {
  return ipaddr.parse(address).toString();
}
