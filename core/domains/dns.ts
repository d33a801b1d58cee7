/** A DNS record that a domain needs, beside what was found. */
export interface DnsRecord {
  type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
  name: string;
  /** The value, or several of which each will do, comma-separated; null: there must be no such record. */
  expected: string | null;
  /** `error`: no name server could be asked. */
  found: string[] | 'error';
  ok: boolean;
  /** Another name where the wanted value was found. */
  misplacedAt?: string;
}

/** A DNS record that the owner of a domain publishes. */
export interface NeededRecord {
  type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
  name: string;
  value: string;
  /** Where to publish the record, as a sentence. */
  where: string;
}

/** The records that a domain needs. One of CNAME, A and AAAA is enough. */
export interface DnsNeeds {
  records: NeededRecord[];
  /** Whether the installation knows the name of its edge (EDGE_HOSTNAME), so that a CNAME can be named. */
  hasHostname: boolean;
}

/** What a check found. `unknown`: too few name servers answered to tell. */
export interface DnsReport {
  outcome: 'right' | 'wrong' | 'unknown';
  records: DnsRecord[];
  /** The zone that the domain is in, where it was looked for and found: providers show names relative to it. */
  zone?: string;
}

/**
 * What came of a check: `taken`, another organization has verified the name first; `gone`, the domain was deleted
 * meanwhile.
 */
export type CheckResult = 'verified' | 'unverified' | 'unchanged' | 'taken' | 'gone';

/** What a check found and what came of it. */
export interface FinishedCheck extends DnsReport {
  result: CheckResult;
  /** ISO 8601 */
  checkedAt: string;
}

/** Checks the DNS records of domains (7.2). */
export interface DomainDns {
  check(domain: { domain: string; txtRecord: string }): Promise<DnsReport>;
  /** Lists the records that `check` looks for; no name server is queried. */
  listNeeds(domain: { domain: string; txtRecord: string }): DnsNeeds;
}

const maxFound = 20;
const maxFoundLength = 300;

/** Cuts the found records to a readable size: a name server may answer with anything. */
export function cutReport({ outcome, records, zone }: DnsReport): DnsReport {
  return {
    outcome,
    ...(zone === undefined ? {} : { zone }),
    records: records.map((record) => ({
      ...record,
      found:
        record.found === 'error'
          ? record.found
          : record.found.slice(0, maxFound).map((text) => text.slice(0, maxFoundLength)),
    })),
  };
}

/** Says in a line of Markdown what was found of a record. */
export function describeRecord({ type, name, found, ok }: DnsRecord): string {
  if (ok) return `${type} ${name}: right`;
  if (found === 'error') return `${type} ${name}: no name server could be asked`;
  if (found.length === 0) return `${type} ${name}: nothing there`;
  return `${type} ${name}: ${found.slice(0, maxShown).map(quote).join(', ')}`;
}

/** Says in a line of Markdown what a record that is not right has to be; undefined: it is right. */
export function describeNeed({ type, name, expected, ok }: DnsRecord): string | undefined {
  if (ok) return undefined;
  return expected === null ? `no ${type} ${name}` : `${type} ${name}: ${quote(expected)}`;
}

const maxShown = 3;
const maxShownLength = 80;

function quote(text: string): string {
  return `\`${text.slice(0, maxShownLength).replaceAll(/[`\p{C}]/gu, '')}\``;
}
