import type { DnsReport, DnsRecord } from '#core/domains/dns.ts';
import type { Asker } from './asker.ts';

// Choices: more labels than names of short links have.
const mostZones = 6;

/**
 * Looks for what helps the owner of a domain whose records are wrong: the zone of the domain, and whether a record stands at the name
 * that comes about where a provider appends the zone to a whole name.
 */
export async function diagnose(asker: Asker, domain: string, report: DnsReport): Promise<DnsReport> {
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
