import { expect, test } from 'vitest';
import { activityEnvironment } from '#test/support/activities.ts';
import { createDomainActivities, type DomainLook } from '#activities/domains/domains.ts';
import { createDomain } from '#commands/domains/domains.ts';
import type { DnsReport } from '#core/domains/dns.ts';
import { testSite } from '#test/support/api.ts';
import { quickSchedule } from '#test/support/domain-stack.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent } from '#test/support/test-worker.ts';

const db = useTestDatabase();
let counter = 0;

/** A domain of a new organization, and its checks: each is due at once and finds what it is told. */
async function add(options: { organization?: TestOrganization; name?: string } = {}) {
  const { organization = await createOrganization(db), name = `checked${(counter += 1)}.customer.example` } = options;
  const actor = { organizationId: organization.id, plan: 'premium' } as Parameters<typeof createDomain>[1];
  const { id } = await emOf(db).transactional((em) =>
    createDomain(em, actor, name, { site: testSite, now: new Date() }),
  );
  const look = (
    outcome: DnsReport['outcome'],
    { isAsked = false, isDue = true, schedule = quickSchedule } = {},
  ): Promise<DomainLook> => {
    const { checkDomain } = createDomainActivities({
      em: emOf(db),
      domainDns: {
        check: async () => ({ outcome, records: [] }),
        listNeeds: () => ({ records: [], hasHostname: true }),
      },
      log: silent,
      schedule,
      random: () => 0,
    });
    const due = isDue ? db.query('update domains set next_check_at = now() where id = $1', [id]) : undefined;
    return Promise.resolve(due).then(() => activityEnvironment().run(checkDomain, { domainId: id, isAsked }));
  };
  const row = async () =>
    (
      await db.query<{ isVerified: boolean; isPrimary: boolean; failedChecks: number }>(
        `select is_verified as "isVerified", is_primary as "isPrimary", failed_checks as "failedChecks"
         from domains where id = $1`,
        [id],
      )
    ).rows[0]!;
  return { id, organization, look, row };
}

test('a domain whose record exists is verified, and is the primary one where there is none', async () => {
  const { look, row } = await add();
  expect(await look('right')).toMatchObject({
    isVerified: true,
    failedChecks: 0,
    check: { result: 'verified' },
    weight: 3,
  });
  expect(await row()).toEqual({ isVerified: true, isPrimary: true, failedChecks: 0 });
});

test('a verified domain is lost after three failed checks in a row; an unanswered check neither counts nor resets the count', async () => {
  const { look, organization, row } = await add();
  await look('right');
  for (const failed of [1, 2]) {
    expect(await look('wrong')).toMatchObject({ isVerified: true, failedChecks: failed });
    expect(await look('unknown')).toMatchObject({
      isVerified: true,
      failedChecks: failed,
      check: { result: 'unchanged' },
    });
  }
  expect(await look('wrong')).toMatchObject({ isVerified: false, failedChecks: 3, check: { result: 'unverified' } });
  expect(await row()).toEqual({ isVerified: false, isPrimary: true, failedChecks: 3 });
  const { rows } = await db.query('select type from events where organization_id = $1 order by id', [organization.id]);
  expect(rows).toEqual([{ type: 'domain.verified' }, { type: 'domain.lost' }]);
});

test('a requested check withdraws the verification at once, but not without an answer, and is made before its time', async () => {
  const { look, row } = await add();
  await look('right');
  const asked = { isAsked: true, isDue: false };
  expect(await look('unknown', asked)).toMatchObject({ isVerified: true, check: { result: 'unchanged' } });
  expect(await look('wrong', asked)).toMatchObject({ isVerified: false, check: { outcome: 'wrong' } });
  expect(await row()).toMatchObject({ isVerified: false });
  expect(await look('right', asked)).toMatchObject({ isVerified: true, check: { outcome: 'right' } });
});

test('a domain that is not due is not checked', async () => {
  const { look } = await add();
  const schedule = { ...quickSchedule, settledGapMs: 60_000 };
  await look('right', { schedule });
  const answer = await look('wrong', { isDue: false });
  expect(answer).toMatchObject({ isGone: false, isVerified: true, check: null });
  expect(answer).toHaveProperty('nextInMs', expect.any(Number));
  expect((answer as { nextInMs: number }).nextInMs).toBeGreaterThan(1_000);
});

test('an inactive domain and a domain of a suspended organization are checked too', async () => {
  const { id, look } = await add({ organization: await createOrganization(db, { suspended: true }) });
  await db.query('update domains set is_active = false where id = $1', [id]);
  expect(await look('right')).toMatchObject({ isVerified: true });
});

test('of two organizations with one name, one has it, and the other takes the free name over', async () => {
  const name = 'raced.customer.example';
  const [one, other] = [await add({ name }), await add({ name })];
  const looks = await Promise.all([one.look('right'), other.look('right')]);
  const results = looks.map(({ check }) => check?.result).toSorted();
  expect(results).toEqual(['taken', 'verified']);
  const [winner, loser] = looks[0].check?.result === 'verified' ? [one, other] : [other, one];
  await db.query('update domains set deleted_at = now(), is_primary = false where id = $1', [winner.id]);
  expect(await loser.look('right')).toMatchObject({ isVerified: true, check: { result: 'verified' } });
  expect(await winner.look('right')).toEqual({ isGone: true, check: null });
});
