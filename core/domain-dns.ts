/** A DNS record that a domain needs, beside what was found. */
export interface DnsRecord {
  type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
  name: string;
  /** The value, or several of which each will do, comma-separated; null: there must be no such record. */
  expected: string | null;
  /** `error`: no name server could be asked. */
  found: string[] | 'error';
  ok: boolean;
}

/** What a check found. `unknown`: too few name servers answered to tell. */
export interface DnsReport {
  outcome: 'right' | 'wrong' | 'unknown';
  records: DnsRecord[];
}

/** Checks the DNS records of domains (7.2). */
export interface DomainDns {
  check(domain: { domain: string; txtRecord: string }): Promise<DnsReport>;
}
