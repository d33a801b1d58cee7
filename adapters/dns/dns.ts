import { isIPv4 } from 'node:net';
import type { DnsReport, DomainDns } from '#core/domains/dns.ts';
import { createAsker, normalizeAddress, normalizeName } from './asker.ts';
import { outcomeOf, untilFirstRight } from './first-right.ts';
import { askOwnership, ownershipRecord } from './ownership.ts';
import { askPointing, type Edge, pointingRecords } from './pointing.ts';

/** Settings of `createDomainDns`. */
export interface DomainDnsOptions {
  /** Name servers, `address:port`; each is asked. Empty: those of the system. */
  servers: readonly string[];
  /** The name that domains are to be aliases of. */
  edgeHostname?: string | undefined;
  /** The addresses that domains are to have. Neither name nor addresses: only the ownership is checked. */
  edgeAddresses?: readonly string[];
  /** The longest that a check takes; by default a little longer than both tries of a question. */
  timeoutMs?: number;
  /** How long a check that has seen a wrong answer waits for a right one. */
  graceMs?: number;
}

/**
 * Checks domains by asking all name servers at once (7.2): the right answer from any of them is enough, a silent one
 * delays nothing, and no answer is kept for the next check.
 */
export function createDomainDns(options: DomainDnsOptions): DomainDns {
  const { servers, edgeHostname, edgeAddresses = [], timeoutMs = 6_500, graceMs = 1_000 } = options;
  const edge: Edge = {
    hostname: edgeHostname === undefined ? undefined : normalizeName(edgeHostname),
    a: edgeAddresses.filter((address) => isIPv4(address)),
    aaaa: edgeAddresses.filter((address) => !isIPv4(address)).map(normalizeAddress),
  };
  const leadsSomewhere = edge.hostname !== undefined || edgeAddresses.length > 0;

  return {
    async check({ domain, txtRecord }): Promise<DnsReport> {
      const askers = (servers.length === 0 ? [undefined] : servers).map(createAsker);
      const cancel = (): void => askers.forEach((asker) => asker.cancel());
      const timer = setTimeout(cancel, timeoutMs);
      try {
        const [ownership, pointing] = await Promise.all([
          untilFirstRight(
            askers.map((asker) => askOwnership(asker, domain, txtRecord)),
            graceMs,
          ),
          leadsSomewhere
            ? untilFirstRight(
                askers.map((asker) => askPointing(asker, domain, edge)),
                graceMs,
              )
            : undefined,
        ]);
        return {
          outcome: worse(outcomeOf(ownership), pointing === undefined ? 'right' : outcomeOf(pointing)),
          records: [
            ownershipRecord(domain, txtRecord, ownership),
            ...(pointing === undefined ? [] : pointingRecords(domain, edge, pointing)),
          ],
        };
      } finally {
        clearTimeout(timer);
        cancel();
      }
    },
  };
}

/** Both must be right; what is known to be wrong outweighs what is not known. */
function worse(one: DnsReport['outcome'], other: DnsReport['outcome']): DnsReport['outcome'] {
  if (one === 'wrong' || other === 'wrong') return 'wrong';
  return one === 'right' ? other : one;
}
