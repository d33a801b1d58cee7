import { isIPv4 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DnsReport, DomainDns } from '#core/domains/dns.ts';
import { type Asker, createAsker, normalizeAddress, normalizeName } from './asker.ts';
import { diagnose } from './diagnosis.ts';
import { outcomeOf, untilFirstRight } from './first-right.ts';
import { neededOwnership, queryOwnership, ownershipRecord } from './ownership.ts';
import { neededPointing, queryPointing, type Edge, pointingRecords } from './pointing.ts';

export interface DomainDnsOptions {
  /** Name servers, `address:port`; each is queried. Empty: the system's. */
  servers: readonly string[];
  /** The CNAME target that domains need. */
  edgeHostname?: string | undefined;
  /** The addresses that domains need. Without name and addresses only the ownership is checked. */
  edgeAddresses?: readonly string[];
  /** Maximum duration of a check. Default: a little above both tries of a query. */
  timeoutMs?: number;
  /** Time that a check waits for a right answer after a wrong one. */
  graceMs?: number;
  /** Time that a check looks for the cause of a wrong answer. */
  diagnosisMs?: number;
}

/**
 * Checks domains by querying all name servers at once (7.2). One right answer is enough, a silent server delays nothing, and
 * answers are not cached.
 */
export function createDomainDns(options: DomainDnsOptions): DomainDns {
  const {
    servers,
    edgeHostname,
    edgeAddresses = [],
    timeoutMs = 6_500,
    graceMs = 1_000,
    diagnosisMs = 1_000,
  } = options;
  const edge: Edge = {
    hostname: edgeHostname === undefined ? undefined : normalizeName(edgeHostname),
    a: edgeAddresses.filter((address) => isIPv4(address)),
    aaaa: edgeAddresses.filter((address) => !isIPv4(address)).map(normalizeAddress),
  };
  const leadsSomewhere = edge.hostname !== undefined || edgeAddresses.length > 0;

  return {
    listNeeds: ({ domain, txtRecord }) => ({
      records: [neededOwnership(domain, txtRecord), ...neededPointing(domain, edge)],
      hasHostname: edge.hostname !== undefined,
    }),
    async check({ domain, txtRecord }): Promise<DnsReport> {
      const askers = (servers.length === 0 ? [undefined] : servers).map(createAsker);
      const cancel = (): void => askers.forEach((asker) => asker.cancel());
      const timer = setTimeout(cancel, timeoutMs);
      try {
        const [ownership, pointing] = await Promise.all([
          untilFirstRight(
            askers.map((asker) => queryOwnership(asker, domain, txtRecord)),
            graceMs,
          ),
          leadsSomewhere
            ? untilFirstRight(
                askers.map((asker) => queryPointing(asker, domain, edge)),
                graceMs,
              )
            : undefined,
        ]);
        const report: DnsReport = {
          outcome: worse(outcomeOf(ownership), pointing === undefined ? 'right' : outcomeOf(pointing)),
          records: [
            ownershipRecord(domain, txtRecord, ownership),
            ...(pointing === undefined ? [] : pointingRecords(domain, edge, pointing)),
          ],
        };
        return report.outcome === 'wrong' ? await untilDiagnosed(askers, domain, report, diagnosisMs) : report;
      } finally {
        clearTimeout(timer);
        cancel();
      }
    },
  };
}

/** The diagnosis of the first name server that has one in time, else the report as it is. */
function untilDiagnosed(
  askers: readonly Asker[],
  domain: string,
  report: DnsReport,
  timeoutMs: number,
): Promise<DnsReport> {
  const timeout = sleep(timeoutMs, report, { ref: false });
  return Promise.race([...askers.map((asker) => diagnose(asker, domain, report)), timeout]);
}

/** Right when both are; wrong when one is; otherwise unknown. */
function worse(one: DnsReport['outcome'], other: DnsReport['outcome']): DnsReport['outcome'] {
  if (one === 'wrong' || other === 'wrong') return 'wrong';
  return one === 'right' ? other : one;
}
