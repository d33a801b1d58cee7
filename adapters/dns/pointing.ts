import type { DnsRecord, NeededRecord } from '#core/domains/dns.ts';
import type { Asker, DnsFinding } from './asker.ts';
import { type Opinion, outcomeOf } from './first-right.ts';

/** Where domains must point: to a name, to addresses, or to either. */
export interface Edge {
  /** Lower-case, without a trailing dot. */
  hostname: string | undefined;
  /** IPv4 addresses. */
  a: readonly string[];
  /** IPv6 addresses in their shortest form. */
  aaaa: readonly string[];
}

interface PointingOpinion extends Opinion {
  cname: DnsFinding;
  a: DnsFinding;
  aaaa: DnsFinding;
}

/** Queries one name server. Right: a CNAME to the edge's name, or the edge's addresses alone. */
export async function queryPointing(asker: Asker, domain: string, edge: Edge): Promise<PointingOpinion> {
  const { hostname } = edge;
  const [cname, a, aaaa, edgeA, edgeAaaa] = await Promise.all([
    hostname === undefined ? [] : asker.cname(domain),
    asker.a(domain),
    asker.aaaa(domain),
    hostname === undefined ? [] : asker.a(hostname),
    hostname === undefined ? [] : asker.aaaa(hostname),
  ]);
  const isAlias = hostname !== undefined && valuesOf(cname).includes(hostname);
  const ours = new Set([...edge.a, ...edge.aaaa, ...valuesOf(edgeA), ...valuesOf(edgeAaaa)]);
  const addresses = [...valuesOf(a), ...valuesOf(aaaa)];
  if (isAlias || (addresses.length > 0 && addresses.every((address) => ours.has(address)))) {
    return { outcome: 'right', cname, a, aaaa };
  }
  const isKnown = [cname, a, aaaa, edgeA, edgeAaaa].every((finding) => finding !== 'error');
  return { outcome: isKnown ? 'wrong' : 'unknown', cname, a, aaaa };
}

/** The records as shown to the user. A CNAME or addresses of either family are enough. */
export function pointingRecords(domain: string, edge: Edge, opinions: readonly PointingOpinion[]): DnsRecord[] {
  const outcome = outcomeOf(opinions);
  const telling = opinions.filter((opinion) => opinion.outcome === outcome);
  const findingOf = (type: 'cname' | 'a' | 'aaaa'): DnsFinding => {
    const known = telling.flatMap(({ [type]: found }) => (found === 'error' ? [] : [found]));
    return known.length === 0 ? 'error' : [...new Set(known.flat())];
  };
  const records: DnsRecord[] = [];
  if (edge.hostname !== undefined) {
    const found = findingOf('cname');
    records.push({ type: 'CNAME', name: domain, expected: edge.hostname, found, ok: outcome === 'right' });
  }
  for (const [type, key] of [
    ['A', 'a'],
    ['AAAA', 'aaaa'],
  ] as const) {
    const found = findingOf(key);
    const expected = edge[key];
    // Addresses of other servers are shown, because they lead visitors away.
    if (expected.length === 0 && (outcome === 'right' || valuesOf(found).length === 0)) continue;
    const isOurs = found !== 'error' && found.length > 0 && found.every((address) => expected.includes(address));
    const ok = outcome === 'right' || isOurs;
    records.push({ type, name: domain, expected: expected.length === 0 ? null : expected.join(', '), found, ok });
  }
  return records;
}

/** The records of which the owner publishes one: a CNAME, or addresses; one for each address. */
export function neededPointing(domain: string, { hostname, a, aaaa }: Edge): NeededRecord[] {
  const provider = `At the DNS provider of ${domain}`;
  const name = domain;
  const alias = `${provider}, as the only record of this name. A name that must have other records takes addresses.`;
  const address = `${provider}, instead of a CNAME, and without addresses of other servers beside it.`;
  return [
    ...(hostname === undefined ? [] : [{ type: 'CNAME' as const, name, value: hostname, where: alias }]),
    ...a.map((value) => ({ type: 'A' as const, name, value, where: address })),
    ...aaaa.map((value) => ({ type: 'AAAA' as const, name, value, where: address })),
  ];
}

function valuesOf(finding: DnsFinding): string[] {
  return finding === 'error' ? [] : finding;
}
