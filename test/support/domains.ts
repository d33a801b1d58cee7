import { createDomainActivities, type DomainActivities, type DomainLook } from '#activities/domains/domains.ts';
import { createDomain } from '#commands/domains/domains.ts';
import type { DnsReport } from '#core/domains/dns.ts';
import type { DomainSchedule } from '#core/domains/schedule.ts';
import type { Sql } from '#db/connection/database.ts';
import { activityEnvironment } from './activities.ts';
import { testSite } from './api.ts';
import { emOf } from './entity-managers.ts';
import { createOrganization, type TestOrganization } from './factories.ts';
import { silent } from './test-worker.ts';

/** A domain's row, as tests look at it. */
interface DomainRow {
  isVerified: boolean;
  isPrimary: boolean;
  failedChecks: number;
  updatedAt: Date;
}

/** A schedule in which hours are tens of milliseconds; a young domain stays so. */
export const quickSchedule: DomainSchedule = {
  firstGapsMs: [100, 150],
  youngGapMs: 200,
  youngForMs: 3_600_000,
  settledGapMs: 150,
};

/** The activities of domains, whose checks all find one thing. */
export const checksThatFind = (
  db: Parameters<typeof emOf>[0],
  outcome: DnsReport['outcome'],
  schedule = quickSchedule,
): DomainActivities =>
  createDomainActivities({
    em: emOf(db),
    domainDns: { check: async () => ({ outcome, records: [] }), listNeeds: () => ({ records: [], hasHostname: true }) },
    log: silent,
    schedule,
    random: () => 0,
  });

let counter = 0;

/** Adds a domain of a new organization, as the API does. `look`: a check, which is due at once and finds what it is told. */
export async function addDomain(
  db: Parameters<typeof emOf>[0] & Sql,
  options: { organization?: TestOrganization; name?: string } = {},
) {
  const { organization = await createOrganization(db), name = `checked${(counter += 1)}.customer.example` } = options;
  const actor = { organizationId: organization.id, plan: 'premium' } as Parameters<typeof createDomain>[1];
  const { id } = await emOf(db).transactional((em) =>
    createDomain(em, actor, name, { site: testSite, now: new Date() }),
  );
  async function look(
    outcome: DnsReport['outcome'],
    { isAsked = false, isDue = true, schedule = quickSchedule } = {},
  ): Promise<DomainLook> {
    const { checkDomain } = checksThatFind(db, outcome, schedule);
    if (isDue) await db.query('update domains set next_check_at = now() where id = $1', [id]);
    return activityEnvironment().run(checkDomain, { domainId: id, isAsked });
  }
  async function row(): Promise<DomainRow> {
    const { rows } = await db.query<DomainRow>(
      `select is_verified as "isVerified", is_primary as "isPrimary", failed_checks as "failedChecks",
         updated_at as "updatedAt"
       from domains where id = $1`,
      [id],
    );
    return rows[0]!;
  }
  return { id, domain: name, organization, look, row };
}
