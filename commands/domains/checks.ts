import type { CheckResult, DnsReport } from '#core/domains/dns.ts';
import { type DomainSchedule, domainSchedule, nextCheckGapMs, standingAfter } from '#core/domains/schedule.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import type { Database, Transaction } from '#db/connection/database.ts';
import { readCheckedDomain, writeCheck } from '#db/domains/checks.ts';
import { passPrimary } from '#db/domains/domains.ts';
import { notifyDomain } from '#db/links/notify-changes.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';

/** What a check left behind. */
export interface StoredCheck {
  /** `superseded`: another check began and was stored meanwhile; this one was not. */
  result: Exclude<CheckResult, 'gone'> | 'superseded';
  isVerified: boolean;
  /** Checks in a row that found the domain wrong. */
  failedChecks: number;
  nextCheckAt: Date;
}

/** How a check is stored. */
export interface StoreOptions {
  /** Somebody asked for it: one that found the domain wrong counts at once. */
  isAsked: boolean;
  schedule: DomainSchedule;
  /** When the check began, and when it is stored. */
  startedAt: Date;
  now: Date;
  /** From 0 to 1. */
  random: number;
}

/**
 * Stores what a check found: right, the domain is verified, and the primary one where the organization has none; wrong, it
 * is verified no more, at once or after three times; unknown, it stays what it was. The edge is told of a change.
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
    // The database decides who was first (7.1).
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
 * Stores what a check found that was asked for and made beside the domain's actor, which is woken to see the change: the relay
 * is to be told.
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
