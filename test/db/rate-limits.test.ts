import { expect, test } from 'vitest';
import { isCalledByOthers, takeCalls } from '#db/rate-limits.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

const limits = { perSecond: 10, perMinute: 100 };
const call = (subject: string) => takeCalls(db, { subject, count: 1, limits });
const keyOf = async ({ id }: TestOrganization): Promise<string> => {
  const { rows } = await db.query<{ id: string }>('select id from api_keys where organization_id = $1', [id]);
  return `key:${rows[0]!.id}`;
};
const memberOf = ({ botId }: TestOrganization): string => `user:${botId}`;
/** Moves the windows into the past, as a test has no time to wait. */
const age = (seconds: number) =>
  db.query(`update rate_windows set second_at = now() - $1 * interval '1 second'`, [seconds]);

test('calls by other keys, members and addresses are calls by others for a second, own calls never', async () => {
  const [own, other] = [await createOrganization(db), await createOrganization(db)];
  const isBeside = () => isCalledByOthers(emOf(db), own.id);
  expect(await isBeside()).toBe(false);
  await call(await keyOf(own));
  await call(memberOf(own));
  await age(0);
  expect(await isBeside()).toBe(false);
  for (const subject of [await keyOf(other), memberOf(other), 'address:a']) {
    await call(subject);
    await age(0);
    expect([subject, await isBeside()]).toEqual([subject, true]);
    await db.query('delete from rate_windows where subject = $1', [subject]);
    expect(await isBeside()).toBe(false);
  }
  await call('address:a');
  await age(3);
  expect(await isBeside()).toBe(false);
});
