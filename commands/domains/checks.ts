import type { CheckResult, DnsReport } from '#core/domains/dns.ts';
import { type DomainSchedule, domainSchedule, nextCheckGapMs, verificationAfter } from '#core/domains/schedule.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { notifyDomain } from '#db/notifications/notify.ts';
import { withSavepoint } from '#db/connection/savepoint.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';
import { createEvent } from '#core/webhooks/events.ts';
import { recordActivityOf } from '#commands/activity.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';

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
 * a wrong one takes that back, at once or after three in a row; an unknown one changes nothing. A change notifies the edges and
 * has an event, `domain.verified` or `domain.lost`.
 */
export async function storeDnsReport(
  em: EntityManager,
  { id, organizationId }: { id: string; organizationId: string },
  report: DnsReport,
  { isAsked, schedule, startedAt, now, random }: StoreOptions,
): Promise<StoredCheck | { result: 'gone' }> {
  const { outcome } = report;
  if (outcome === 'right') await lockOrganization(em, organizationId);
  const domains = em.getRepository(Domain);
  const domain = await domains.hold(id, 'no key update');
  if (domain === null || !domain.organization) return { result: 'gone' };
  const { nextCheckAt = null, lastCheckedAt = null, ...known } = domain;
  if (!isAsked && nextCheckAt !== null && lastCheckedAt !== null && lastCheckedAt >= startedAt) {
    return { result: 'superseded', isVerified: known.isVerified, failedChecks: known.failedChecks, nextCheckAt };
  }
  const ageMs = now.getTime() - domain.createdAt.getTime();
  const write = async (verification: { isVerified: boolean; failedChecks: number }, isTaken = false) => {
    const gapMs = nextCheckGapMs(schedule, { ageMs, isVerified: verification.isVerified, random });
    const check = { ...verification, nextCheckAt: new Date(now.getTime() + gapMs) };
    const updatedAt = verification.isVerified === known.isVerified ? known.updatedAt : now;
    Object.assign(domain, { ...check, lastCheckedAt: now, updatedAt, dns: { ...report, isTaken } });
    await em.flush();
    return check;
  };
  const verification = verificationAfter(known, outcome, { isAsked });
  let check;
  try {
    check = await withSavepoint(em, () => write(verification));
  } catch (error) {
    // Two organizations may verify one name at the same moment: the unique index decides which came first.
    if (!isUniqueViolation(error, 'domains_verified_key')) throw error;
    return { result: 'taken', ...(await write({ isVerified: false, failedChecks: known.failedChecks }, true)) };
  }
  if (check.isVerified === known.isVerified) return { result: 'unchanged', ...check };
  if (check.isVerified) await domains.passPrimary(organizationId, now);
  const type = check.isVerified ? 'domain.verified' : 'domain.lost';
  const data = { domain: { id, domain: domain.domain, isVerified: check.isVerified } };
  await insertEvents(em, [createEvent(type, { organizationId, linkId: null, data, now })]);
  await recordActivityOf(em, organizationId, 'system', { action: type, subjectId: id, name: domain.domain }, now);
  await notifyDomain(em, id);
  return { result: check.isVerified ? 'verified' : 'unverified', ...check };
}

/**
 * Stores the result of a check that the API made beside the domain's workflow, and enqueues the domain where it changed, so that
 * the workflow reads its row again.
 */
export async function recordAskedCheck(
  em: EntityManager,
  domain: { id: string; organizationId: string },
  report: DnsReport,
  { startedAt, now, random }: Pick<StoreOptions, 'startedAt' | 'now' | 'random'>,
): Promise<CheckResult> {
  return em.transactional(async (em) => {
    const options: StoreOptions = { isAsked: true, schedule: domainSchedule, startedAt, now, random };
    const { result } = await storeDnsReport(em, domain, report, options);
    if (result === 'verified' || result === 'unverified') await enqueue(em, 'domain', [domain.id]);
    return result === 'superseded' ? 'unchanged' : result;
  });
}
