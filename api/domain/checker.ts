import { setTimeout } from 'node:timers/promises';
import { recordAskedCheck } from '#commands/domains/checks.ts';
import { cutReport, type FinishedCheck } from '#core/domains/dns.ts';
import type { DomainTarget } from '#workflows/domain.ts';
import { AppError } from '#core/errors/errors.ts';
import type { ApiDependencies } from '#api/dependencies.ts';

type DomainToCheck = DomainTarget & { txtRecord: string };

// This plus the longest check stays below the ten seconds of 7.3.
const defaultPatienceMs = 2_500;
const answerWithinMs = 9_500;

type CheckerDependencies = Pick<
  ApiDependencies,
  'em' | 'domainDns' | 'domainWorkflow' | 'workflowPatienceMs' | 'clock'
>;

/**
 * Checks a domain's DNS records now, within ten seconds. The domain's workflow runs the check. Where the workflow is unreachable or
 * slow, this process checks as well. Calls for the same domain at the same time share a check.
 */
export function createDomainChecker(deps: CheckerDependencies) {
  const { em, domainDns, domainWorkflow, clock, workflowPatienceMs = defaultPatienceMs } = deps;
  const underWay = new Map<string, Promise<FinishedCheck>>();

  async function checkHere(domain: DomainToCheck): Promise<FinishedCheck> {
    // Not in a transaction: DNS may take seconds.
    const startedAt = clock();
    const report = cutReport(await domainDns.check(domain));
    const now = clock();
    const result = await recordAskedCheck(em, domain, report, { startedAt, now, random: Math.random() });
    return { ...report, result, checkedAt: now.toISOString() };
  }

  async function check(domain: DomainToCheck): Promise<FinishedCheck> {
    const done = new AbortController();
    const byWorkflow = domainWorkflow.check(domain, answerWithinMs);
    const isSilent = setTimeout(workflowPatienceMs, undefined, { signal: done.signal }).catch(() => {});
    try {
      const early = await Promise.race([byWorkflow, isSilent]);
      if (early !== undefined) return early;
      const here = checkHere(domain);
      // The first answer counts; a failed workflow call falls back to this process's check.
      return await Promise.race([byWorkflow.then((late) => late ?? here), here]);
    } finally {
      done.abort();
    }
  }

  /** @throws AppError ALREADY_EXIST. */
  return async (domain: DomainToCheck): Promise<FinishedCheck> => {
    let checking = underWay.get(domain.id);
    if (checking === undefined) {
      checking = check(domain).finally(() => underWay.delete(domain.id));
      underWay.set(domain.id, checking);
    }
    const finished = await checking;
    if (finished.result === 'taken') {
      throw new AppError('ALREADY_EXIST', 'Another organization has verified this domain.', { reason: 'domain' });
    }
    return finished;
  };
}
