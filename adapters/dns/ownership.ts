import type { DnsRecord, NeededRecord } from '#core/domains/dns.ts';
import type { Asker, DnsFinding } from './asker.ts';
import { type Opinion, outcomeOf, untilFirstRight } from './first-right.ts';

interface OwnershipOpinion extends Opinion {
  found: DnsFinding;
}

const prefix = 'waymark-verify=';
const placeOf = (domain: string): string => `_waymark.${domain}`;

/** Queries one name server for the TXT record of ownership, at both names where it may be. */
export async function queryOwnership(asker: Asker, domain: string, txtRecord: string): Promise<OwnershipOpinion> {
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
export function ownershipRecord(domain: string, txtRecord: string, opinions: readonly OwnershipOpinion[]): DnsRecord {
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
export function neededOwnership(domain: string, txtRecord: string): NeededRecord {
  const where = `At the DNS provider of ${domain}, as a TXT record of this name; ${domain} itself may have it instead.`;
  return { type: 'TXT', name: placeOf(domain), value: txtRecord, where };
}

function mergeFindings(opinions: readonly OwnershipOpinion[]): DnsFinding {
  const known = opinions.flatMap(({ found }) => (found === 'error' ? [] : [found]));
  return known.length === 0 ? 'error' : [...new Set(known.flat())];
}
