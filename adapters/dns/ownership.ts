import type { DnsRecord } from '#core/domains/dns.ts';
import type { Asker, DnsFinding } from './asker.ts';
import { type Opinion, outcomeOf, untilFirstRight } from './first-right.ts';

/** What one name server says of the TXT record that proves a domain to be its owner's. */
interface OwnershipOpinion extends Opinion {
  found: DnsFinding;
}

const prefix = 'waymark-verify=';
const placeOf = (domain: string): string => `_waymark.${domain}`;

/** Asks one name server for the record, at both places where it may stand. */
export async function askOwnership(asker: Asker, domain: string, txtRecord: string): Promise<OwnershipOpinion> {
  const look = async (name: string): Promise<OwnershipOpinion> => {
    const found = await asker.txt(name);
    if (found === 'error') return { outcome: 'unknown', found };
    // The domain itself has TXT records of all kinds.
    const relevant = found.filter((text) => name !== domain || text.startsWith(prefix));
    return { outcome: found.includes(txtRecord) ? 'right' : 'wrong', found: relevant };
  };
  const opinions = await untilFirstRight([look(placeOf(domain)), look(domain)]);
  const isKnown = opinions.every(({ outcome }) => outcome !== 'unknown');
  const outcome = outcomeOf(opinions);
  // It may stand where the server could not look.
  return { outcome: outcome === 'wrong' && !isKnown ? 'unknown' : outcome, found: mergeFindings(opinions) };
}

/** The record as it is reported. */
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

function mergeFindings(opinions: readonly OwnershipOpinion[]): DnsFinding {
  const known = opinions.flatMap(({ found }) => (found === 'error' ? [] : [found]));
  return known.length === 0 ? 'error' : [...new Set(known.flat())];
}
