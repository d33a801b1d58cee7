import type { DnsReport } from '../core/domain-dns.ts';
import { isDuplicate } from '../db/constraint.ts';
import type { Sql } from '../db/database.ts';
import { passPrimary, setDomainColumns } from '../db/domain-update.ts';
import { readDomain } from '../db/domains.ts';
import { notifyDomain } from '../db/link-changes.ts';
import { lockOrganization } from '../db/organization-lock.ts';

/**
 * What came of a check: `taken`, another organization has verified the name first; `gone`, the domain was deleted
 * meanwhile.
 */
export type CheckResult = 'verified' | 'unverified' | 'unchanged' | 'taken' | 'gone';

/**
 * Stores what a check found: right, the domain is verified, and the primary one where the organization has none; wrong, it
 * is verified no more; unknown, it stays what it was. The edge is told of a change.
 */
export async function storeDnsReport(
  tx: Sql,
  domain: { id: string; organizationId: string },
  { outcome }: Pick<DnsReport, 'outcome'>,
  { now }: { now: Date },
): Promise<CheckResult> {
  const { id, organizationId } = domain;
  if (outcome === 'right') await lockOrganization(tx, organizationId);
  const known = await readDomain(tx, id, 'for no key update of d');
  if (known === undefined) return 'gone';
  const isVerified = outcome === 'unknown' ? known.isVerified : outcome === 'right';
  await tx.query('savepoint verifying');
  try {
    await setDomainColumns(tx, id, { is_verified: isVerified, last_checked_at: now }, now);
  } catch (error) {
    // The database decides who was first (7.1).
    if (!isDuplicate(error, 'domains_verified_key')) throw error;
    await tx.query('rollback to savepoint verifying');
    await setDomainColumns(tx, id, { last_checked_at: now }, now);
    return 'taken';
  }
  if (isVerified === known.isVerified) return 'unchanged';
  if (isVerified) await passPrimary(tx, organizationId, now);
  await notifyDomain(tx, id);
  return isVerified ? 'verified' : 'unverified';
}
