import type { CheckResult, DnsReport } from '#core/domains/dns.ts';
import { type DomainSchedule, domainSchedule, nextCheckGapMs, standingAfter } from '#core/domains/schedule.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import type { Database, Transaction } from '#db/connection/database.ts';
import { readCheckedDomain, writeCheck } from '#db/domains/checks.ts';
import { passPrimary } from '#db/domains/domains.ts';
import { notifyDomain } from '#db/links/notify-changes.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';

interface StoredCheck {
  /** `superseded`: a check that began later was stored first; this one was not stored. */
  result: Exclude<CheckResult, 'gone'> | 'superseded';
  isVerified: boolean;
  /** Checks in a row that found the domain wrong. */
  failedChecks: number;
  nextCheckAt: Date;
}

interface StoreOptions {
  /** A caller asked for the check: a wrong result counts at once, not after three. */
  isAsked: boolean;
  schedule: DomainSchedule;
  /** When the check began, and when it is stored. */
  startedAt: Date;
  now: Date;
  /** From 0 to 1: spreads the next check. */
  random: number;
}

/**
 * Stores the result of a check. A right one verifies the domain, and makes it the primary one where the organization has none;
 * a wrong one takes that back, at once or after three in a row; an unknown one changes nothing. Edges are notified of a change.
 */
export async function storeDnsReport(
  tx: Transaction,
  domain: { id: string; organizationId: string },
  { outcome }: Pick<DnsReport, 'outcome'>,
  { isAsked, schedule, startedAt, now, random }: StoreOptions,
): Promise<StoredCheck | { result: 'gone' }> {
  const { id, organizationId } = domain;
  if (outcome === 'right') await lockOrganization(tx, organizationId);
  const known = await readCheckedDomain(tx, id, 'for no key update');
  if (known === undefined) return { result: 'gone' };
  if (!isAsked && known.nextCheckAt !== null && known.lastCheckedAt !== null && known.lastCheckedAt >= startedAt) {
    const { isVerified, failedChecks, nextCheckAt } = known;
    return { result: 'superseded', isVerified, failedChecks, nextCheckAt };
  }
  const ageMs = now.getTime() - known.createdAt.getTime();
  const write = async (standing: { isVerified: boolean; failedChecks: number }) => {
    const gapMs = nextCheckGapMs(schedule, { ageMs, isVerified: standing.isVerified, random });
    const check = { ...standing, nextCheckAt: new Date(now.getTime() + gapMs) };
    await writeCheck(tx, id, check, now);
    return check;
  };
  const standing = standingAfter(known, outcome, { isAsked });
  await tx.query('savepoint verifying');
  let check;
  try {
    check = await write(standing);
  } catch (error) {
    // Two organizations may verify one name at the same moment: the unique index decides which came first (7.1).
    if (!isUniqueViolation(error, 'domains_verified_key')) throw error;
    await tx.query('rollback to savepoint verifying');
    return { result: 'taken', ...(await write({ isVerified: false, failedChecks: known.failedChecks })) };
  }
  if (check.isVerified === known.isVerified) return { result: 'unchanged', ...check };
  if (check.isVerified) await passPrimary(tx, organizationId, now);
  await notifyDomain(tx, id);
  return { result: check.isVerified ? 'verified' : 'unverified', ...check };
}

/**
 * Stores the result of a check that the API made beside the domain's actor, and enqueues the domain where it changed, so that
 * the actor reads its row again.
 */
export async function recordAskedCheck(
  db: Database,
  domain: { id: string; organizationId: string },
  report: Pick<DnsReport, 'outcome'>,
  { startedAt, now, random }: Pick<StoreOptions, 'startedAt' | 'now' | 'random'>,
): Promise<CheckResult> {
  return db.transaction(async (tx) => {
    const options: StoreOptions = { isAsked: true, schedule: domainSchedule, startedAt, now, random };
    const { result } = await storeDnsReport(tx, domain, report, options);
    if (result === 'verified' || result === 'unverified') await enqueue(tx, 'domain', [domain.id]);
    return result === 'superseded' ? 'unchanged' : result;
  });
}
