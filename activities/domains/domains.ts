import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { storeDnsReport } from '#commands/domains/checks.ts';
import { cutReport, type DomainDns, type FinishedCheck } from '#core/domains/dns.ts';
import { type DomainSchedule, domainSchedule } from '#core/domains/schedule.ts';
import { premiumWeight, priorities } from '#core/temporal/priorities.ts';
import { type Meter, noMeter, samplesOf } from '#core/lib/meter.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';

/** Times and chance are for tests. */
interface DomainDependencies {
  em: EntityManager;
  domainDns: DomainDns;
  log: Pick<Logger, 'info'>;
  schedule?: DomainSchedule;
  meter?: Meter;
  random?: () => number;
}

/** `isAsked`: a caller requested the check; otherwise the domain is checked only when it is due. */
interface CheckInput {
  domainId: string;
  isAsked: boolean;
  /** Of the workflow's priority; absent in workflows that an earlier version runs. */
  weight?: number;
}

/** The state of a domain after a look. */
export type DomainLook = {
  /** Of its organization's plan, which the workflow has from now on; absent where the domain is gone. */
  weight?: number;
  /** Null: no check was due, or a requested check came meanwhile. */
  check: FinishedCheck | null;
} & (
  | { isGone: true }
  | {
      isGone: false;
      isVerified: boolean;
      failedChecks: number;
      /** Until it is to be looked at again, in milliseconds. */
      nextInMs: number;
    }
);

export type DomainActivities = ReturnType<typeof createDomainActivities>;

// A timer may run ahead of the clock of the process that set it.
const earlyMs = 50;

export function createDomainActivities({
  em,
  domainDns,
  log,
  schedule = domainSchedule,
  meter = noMeter,
  random = Math.random,
}: DomainDependencies) {
  const checks = { right: 0, wrong: 0, unknown: 0 };
  meter.counter(
    'waymark_domain_checks_total',
    'Checks of DNS records that workflows made, by outcome.',
    () => samplesOf('outcome', checks),
    ['outcome'],
  );

  async function check(domain: Domain, isAsked: boolean): Promise<DomainLook> {
    // Outside of any transaction: it may take seconds.
    const startedAt = new Date();
    const report = cutReport(await domainDns.check(domain));
    const { outcome, records } = report;
    checks[outcome] += 1;
    const now = new Date();
    const target = { id: domain.id, organizationId: domain.organization!.id };
    const stored = await em.transactional((em) =>
      storeDnsReport(em, target, report, { isAsked, schedule, startedAt, now, random: random() }),
    );
    const checkedAt = now.toISOString();
    if (stored.result === 'gone') return { isGone: true, check: { outcome, records, result: 'gone', checkedAt } };
    const { result, isVerified, failedChecks, nextCheckAt } = stored;
    if (result !== 'unchanged' && result !== 'superseded')
      log.info({ domainId: domain.id, result }, 'a domain was checked');
    return {
      isGone: false,
      isVerified,
      failedChecks,
      nextInMs: untilMs(nextCheckAt),
      check: result === 'superseded' ? null : { outcome, records, result, checkedAt },
    };
  }

  return {
    /** Checks a domain's DNS records and stores what was found. */
    async checkDomain({ domainId, isAsked, weight: before }: CheckInput): Promise<DomainLook> {
      const domain = await em
        .fork()
        .findOne(Domain, { id: domainId, organization: { $ne: null } }, { populate: ['organization'] });
      if (domain === null) return { isGone: true, check: null };
      const { plan } = domain.organization!;
      const weight = plan === 'premium' ? premiumWeight : 1;
      if (before !== undefined && before !== weight)
        await setWeight(domain.organization!.id, weight).catch((error: Error) =>
          log.info({ domainId, reason: error.message }, 'a domain keeps the weight of its start'),
        );
      const nextInMs = untilMs(domain.nextCheckAt);
      if (isAsked || nextInMs <= earlyMs) return { ...(await check(domain, isAsked)), weight };
      const { isVerified, failedChecks } = domain;
      return { isGone: false, isVerified, failedChecks, nextInMs, check: null, weight };
    },
  };
}

/** A domain's workflow lives for years, and would keep the weight of the plan that its organization had at the start. */
async function setWeight(fairnessKey: string, fairnessWeight: number): Promise<void> {
  const { client, info } = Context.current();
  const { namespace, workflowExecution } = info;
  await client.workflowService.updateWorkflowExecutionOptions({
    namespace,
    workflowExecution: { workflowId: workflowExecution!.workflowId },
    workflowExecutionOptions: { priority: { priorityKey: priorities.usual, fairnessKey, fairnessWeight } },
    updateMask: { paths: ['priority'] },
  });
}

function untilMs(at: Date | null | undefined): number {
  return at === null || at === undefined ? 0 : Math.max(0, at.getTime() - Date.now());
}
