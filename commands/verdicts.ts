import { hash } from 'node:crypto';
import type { ThreatType } from '../core/threats.ts';
import type { Sql } from '../db/database.ts';
import { requestRows, type StoredVerdict, storeRows } from '../db/verdicts.ts';

/** What has been found, by hexadecimal URL hash: `[]` clean, null not known. */
export type Verdicts = Map<string, ThreatType[] | null>;

// PostgreSQL refuses payloads of 8,000 bytes and more.
const maxPayloadBytes = 7_900;

/** Key of a URL's verdict: SHA-256 of its bytes as they were sent. */
export function urlHash(url: string): Buffer {
  return hash('sha256', url, 'buffer');
}

/**
 * Asks for the verdicts of changed destinations (9.1), as part of the transaction that changes them. A URL with a fresh
 * verdict is answered at once; for the others a scan goes into the outbox, and the caller rings the relay's bell after
 * the commit.
 * @param destinations at most 500, `url` http or https.
 * @returns for each URL, by hexadecimal hash, `verdict` (a stale one included; null when there is none yet) and whether
 * it is `fresh`: where not, a newer one will be announced.
 */
export async function requestVerdicts(
  tx: Sql,
  destinations: readonly { id: string; url: string }[],
): Promise<{ verdicts: Verdicts; awaited: string[] }> {
  const verdicts: Verdicts = new Map();
  if (destinations.length === 0) return { verdicts, awaited: [] };
  const hashed = destinations.map(({ id, url }) => ({ id, url, urlHash: urlHash(url) }));
  for (const destination of hashed) verdicts.set(destination.urlHash.toString('hex'), null);
  const awaited = new Set(verdicts.keys());
  for (const known of await requestRows(tx, hashed)) {
    verdicts.set(known.urlHash, known.threatTypes);
    if (known.fresh) awaited.delete(known.urlHash);
  }
  return { verdicts, awaited: [...awaited] };
}

/** Stores verdicts and tells everyone who waits for them. */
export async function storeVerdicts(sql: Sql, verdicts: readonly StoredVerdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  await storeRows(sql, verdicts, announcements(verdicts));
}

/** Writes the payloads of `channels.verdicts`: JSON objects of hash to types, each small enough for one notification. */
export function announcements(verdicts: readonly Pick<StoredVerdict, 'urlHash' | 'threatTypes'>[]): string[] {
  const payloads: string[] = [];
  let members: string[] = [];
  let bytes = 1;
  for (const { urlHash: hash, threatTypes } of verdicts) {
    const member = `${JSON.stringify(hash)}:${JSON.stringify(threatTypes)}`;
    if (bytes + member.length + 1 > maxPayloadBytes) {
      payloads.push(`{${members.join(',')}}`);
      members = [];
      bytes = 1;
    }
    members.push(member);
    bytes += member.length + 1;
  }
  if (members.length > 0) payloads.push(`{${members.join(',')}}`);
  return payloads;
}
