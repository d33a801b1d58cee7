import type { Logger } from 'pino';
import { storeDnsReport } from '#commands/domains/checks.ts';
import { cutReport, type DomainDns, type FinishedCheck } from '#core/domains/dns.ts';
import { type DomainSchedule, domainSchedule } from '#core/domains/schedule.ts';
import { type Meter, noMeter, samplesOf } from '#core/lib/meter.ts';
import type { Database } from '#db/connection/database.ts';
import { type CheckedDomain, readCheckedDomain } from '#db/domains/checks.ts';

/** Times and chance are for tests. */
export interface DomainDependencies {
  db: Database;
  domainDns: DomainDns;
  log: Pick<Logger, 'info'>;
  schedule?: DomainSchedule;
  meter?: Meter;
  random?: () => number;
}

/** `isAsked`: a caller requested the check; otherwise the domain is checked only when it is due. */
export interface CheckInput {
  domainId: string;
  isAsked: boolean;
}

/** The state of a domain after a look. */
export type DomainLook =
  | {
      isGone: false;
      isVerified: boolean;
      failedChecks: number;
      /** Until it is to be looked at again, in milliseconds. */
      nextInMs: number;
      /** Null: no check was due, or a requested check came meanwhile. */
      check: FinishedCheck | null;
    }
  | { isGone: true; check: FinishedCheck | null };

/** Activities of `domain`. */
export interface DomainActivities {
  /** Checks a domain's DNS records (7.2) and stores what was found. */
  checkDomain(input: CheckInput): Promise<DomainLook>;
}

// A choice: a timer may run ahead of the clock of the process that set it.
const earlyMs = 50;

export function createDomainActivities({
  db,
  domainDns,
  log,
  schedule = domainSchedule,
  meter = noMeter,
  random = Math.random,
}: DomainDependencies): DomainActivities {
  const checks = { right: 0, wrong: 0, unknown: 0 };
  meter.counter(
    'waymark_domain_checks_total',
    'Checks of DNS records that actors made, by outcome.',
    () => samplesOf('outcome', checks),
    ['outcome'],
  );

  async function check(domain: CheckedDomain, isAsked: boolean): Promise<DomainLook> {
    // Outside of any transaction: it may take seconds.
    const startedAt = new Date();
    const { outcome, records } = cutReport(await domainDns.check(domain));
    checks[outcome] += 1;
    const now = new Date();
    const stored = await db.transaction((tx) =>
      storeDnsReport(tx, domain, { outcome }, { isAsked, schedule, startedAt, now, random: random() }),
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
    async checkDomain({ domainId, isAsked }) {
      const domain = await readCheckedDomain(db, domainId);
      if (domain === undefined) return { isGone: true, check: null };
      const nextInMs = untilMs(domain.nextCheckAt);
      if (isAsked || nextInMs <= earlyMs) return check(domain, isAsked);
      const { isVerified, failedChecks } = domain;
      return { isGone: false, isVerified, failedChecks, nextInMs, check: null };
    },
  };
}

function untilMs(at: Date | null): number {
  return at === null ? 0 : Math.max(0, at.getTime() - Date.now());
}
