import { isIPv4 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DnsReport, DomainDns, DnsRecord, NeededRecord } from '#core/domains/dns.ts';
import { type Asker, createAsker, normalizeAddress, normalizeName, type DnsFinding } from './asker.ts';
import { outcomeOf, untilFirstRight, type Opinion } from './first-right.ts';
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
  const { servers, edgeHostname, edgeAddresses = [] } = options;
  const { timeoutMs = 6_500, graceMs = 1_000, diagnosisMs = 1_000 } = options;
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

interface OwnershipOpinion extends Opinion {
  found: DnsFinding;
}

const prefix = 'waymark-verify=';
const placeOf = (domain: string): string => `_waymark.${domain}`;

/** Queries one name server for the TXT record of ownership, at both names where it may be. */
async function queryOwnership(asker: Asker, domain: string, txtRecord: string): Promise<OwnershipOpinion> {
  const look = async (name: string): Promise<OwnershipOpinion> => {
    const found = await asker.txt(name);
    if (found === 'error') return { outcome: 'unknown', found };
    // The domain itself also has TXT records of other services.
    const relevant = found.filter((text) => name !== domain || text.startsWith(prefix));
    return { outcome: found.includes(txtRecord) ? 'right' : 'wrong', found: relevant };
  };
  const opinions = await untilFirstRight([look(placeOf(domain)), look(domain)]);
  const isKnown = opinions.every(({ outcome }) => outcome !== 'unknown');
  const outcome = outcomeOf(opinions);
  // The record may be at the name whose query failed.
  return { outcome: outcome === 'wrong' && !isKnown ? 'unknown' : outcome, found: mergeFindings(opinions) };
}

/** The record as shown to the user. */
function ownershipRecord(domain: string, txtRecord: string, opinions: readonly OwnershipOpinion[]): DnsRecord {
  const outcome = outcomeOf(opinions);
  return {
    type: 'TXT',
    name: placeOf(domain),
    expected: txtRecord,
    found: outcome === 'unknown' ? 'error' : mergeFindings(opinions),
    ok: outcome === 'right',
  };
}

/** The record that the owner publishes. */
function neededOwnership(domain: string, txtRecord: string): NeededRecord {
  const where = `At the DNS provider of ${domain}, as a TXT record of this name; ${domain} itself may have it instead.`;
  return { type: 'TXT', name: placeOf(domain), value: txtRecord, where };
}

function mergeFindings(opinions: readonly OwnershipOpinion[]): DnsFinding {
  const known = opinions.flatMap(({ found }) => (found === 'error' ? [] : [found]));
  return known.length === 0 ? 'error' : [...new Set(known.flat())];
}

// Choices: more labels than names of short links have.
const mostZones = 6;

/**
 * Looks for what helps the owner of a domain whose records are wrong: the zone of the domain, and whether a record stands at the name
 * that comes about where a provider appends the zone to a whole name.
 */
async function diagnose(asker: Asker, domain: string, report: DnsReport): Promise<DnsReport> {
  const candidates = zonesOf(domain);
  const isZone = await Promise.all(candidates.map((zone) => asker.isZone(zone)));
  const zone = candidates.find((_candidate, index) => isZone[index]);
  if (zone === undefined) return report;
  const records = await Promise.all(report.records.map((record) => locate(asker, record, zone)));
  return { ...report, records, zone };
}

/** The zones that a name may be in, the longest first. A top-level domain is none. */
function zonesOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels
    .slice(0, -1)
    .map((_label, index) => labels.slice(index).join('.'))
    .slice(-mostZones);
}

async function locate(asker: Asker, record: DnsRecord, zone: string): Promise<DnsRecord> {
  const { type, expected, name, ok } = record;
  if (ok || expected === null) return record;
  const appended = `${name}.${zone}`;
  const ask = { TXT: asker.txt, CNAME: asker.cname, A: asker.a, AAAA: asker.aaaa }[type];
  const found = await ask(appended);
  const wanted = expected.split(', ');
  const isThere = found !== 'error' && found.some((value) => wanted.includes(value));
  return isThere ? { ...record, misplacedAt: appended } : record;
}
