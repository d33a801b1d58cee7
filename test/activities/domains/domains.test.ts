import { expect, test } from 'vitest';
import { addDomain, quickSchedule } from '#test/support/domains.ts';
import { createOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
const add = (options?: Parameters<typeof addDomain>[1]) => addDomain(db, options);

test('a domain whose record exists is verified, and is the primary one where there is none', async () => {
  const { look, row } = await add();
  const { updatedAt } = await row();
  expect(await look('wrong')).toMatchObject({ isVerified: false, failedChecks: 1 });
  expect(await row()).toMatchObject({ isVerified: false, updatedAt });
  expect(await look('right')).toMatchObject({
    isVerified: true,
    failedChecks: 0,
    check: { result: 'verified' },
    weight: 3,
  });
  const verified = await row();
  expect(verified).toMatchObject({ isVerified: true, isPrimary: true, failedChecks: 0 });
  expect(verified.updatedAt > updatedAt).toBe(true);
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
  expect(await row()).toMatchObject({ isVerified: false, isPrimary: true, failedChecks: 3 });
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
