import type { DnsRecord } from './dns.ts';

/** Why a record is not right. */
export const dnsReasons = [
  'missing',
  'no-answer',
  'zone-appended',
  'quoted',
  'other-value',
  'other-address',
  'surplus-address',
] as const;
export type DnsReason = (typeof dnsReasons)[number];

/** Why a record is not right; null: it is. */
export function reasonOf({ type, expected, found, ok, misplacedAt }: DnsRecord): DnsReason | null {
  if (ok) return null;
  if (misplacedAt !== undefined) return 'zone-appended';
  if (found === 'error') return 'no-answer';
  if (expected === null) return 'surplus-address';
  if (found.length === 0) return 'missing';
  if (type === 'TXT') return found.some((text) => isQuoted(text, expected)) ? 'quoted' : 'other-value';
  return type === 'CNAME' ? 'other-value' : 'other-address';
}

/** Whether a text is the wanted value with something around it: quotes, spaces, a name before it. */
function isQuoted(text: string, expected: string): boolean {
  return text !== expected && text.includes(expected);
}

/** The reason as a sentence for the owner of a domain. */
export function describeReason(record: DnsRecord): string | null {
  const { type, name, misplacedAt } = record;
  switch (reasonOf(record)) {
    case null:
      return null;
    case 'missing':
      return `There is no ${type} record at ${name}.`;
    case 'no-answer':
      return `No name server answered for ${name}.`;
    case 'zone-appended':
      return `The ${type} record is at ${misplacedAt}: the provider appended the zone itself. Enter the name without the zone.`;
    case 'quoted':
      return `The ${type} record has more than the value, such as quotes or spaces. Enter the value alone.`;
    case 'other-value':
      return `The ${type} record at ${name} has another value.`;
    case 'other-address':
      return `The ${type} records of ${name} lead to other addresses. Remove those of other servers.`;
    case 'surplus-address':
      return `An old ${type} record at ${name} leads elsewhere. Remove it.`;
  }
}

/**
 * The name of a record as providers show it, relative to its zone: `_waymark.go` of `_waymark.go.example.com` in `example.com`, `@` for
 * the zone itself; null where the zone is not known.
 */
export function relativeName(name: string, zone: string | undefined): string | null {
  if (zone === undefined) return null;
  if (name === zone) return '@';
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : null;
}
