import { expect, test } from 'vitest';
import { createHousekeepingActivities } from '#activities/housekeeping/housekeeping.ts';
import { notifyPerson } from '#commands/accounts/notices.ts';
import { requeueOverdueNotices } from '#db/accounts/notices.ts';
import { AccountNotice, noticeKinds } from '#db/entities/accounts/people.ts';
import { asActivity } from '#test/support/activities.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { useMailActivities } from '#test/support/mail-activities.ts';
import { createPerson } from '#test/support/people.ts';
import { startsFor } from '#test/support/relay.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
const { mails, failures, activitiesOf } = useMailActivities('https://api.example.com/');

/** Tells a new person something. */
async function notify(kind: (typeof noticeKinds)[number], details = {}) {
  const { id: organizationId } = await createOrganization(db);
  const { id: userId, email } = await createPerson(db, { [organizationId]: 'member' });
  const em = emOf(db);
  await em.transactional((em) => notifyPerson(em, { userId, kind, details }, new Date()));
  const { id } = await em.fork().findOneOrFail(AccountNotice, { user: userId });
  return { id, email };
}
const mail = (noticeId: string) => activitiesOf(db).mailAccountNotice({ noticeId });

test('a sign-in by a new browser is mailed once, also after the mail server was busy; Temporal knows no person', async () => {
  const { id, email } = await notify('newDevice', { browser: 'Firefox', os: 'Linux' });
  const starts = await startsFor(db, 'account-notice');
  expect(starts.map(({ options }) => options.workflowId)).toEqual([`account-notice/${id}`]);
  expect(JSON.stringify(starts)).not.toContain(email);
  failures.push(new Error('the server is busy'));
  await expect(mail(id)).rejects.toThrow('the server is busy');
  expect(await mail(id)).toEqual({ isMailed: true });
  expect(await mail(id)).toEqual({ isMailed: false });
  expect(mails).toHaveLength(2);
  expect(mails[1]).toEqual(mails[0]);
  expect(mails[0]).toMatchObject({ to: email, subject: 'New sign-in to your account' });
  expect(mails[0]?.text).toContain('(Firefox, Linux)');
  expect(mails[0]?.text).toContain('\nhttps://api.example.com\n');
  expect(mails[0]?.text).toContain('https://api.example.com/console/settings/you');
});

test.each(noticeKinds)('the mail about %s says what happened, when, and what to do', async (kind) => {
  const { id } = await notify(kind, { factor: 'passkey' });
  await mail(id);
  const { subject, text } = mails[0]!;
  expect(subject).not.toBe('');
  expect(text).toMatch(/\nWhen: \d{4}-\d\d-\d\dT/);
  expect(text).toMatch(/\/console\/(?:settings\/you|forgot)\n/);
  expect(text).not.toContain('undefined');
  const lines = text.split('\n').filter((line) => !line.startsWith('https://'));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(76);
});

test('a notice that the relay has lost is enqueued again until it is mailed or a day old, and forgotten after 30 days', async () => {
  const { id } = await notify('passwordChanged');
  await db.query(`delete from outbox where kind = 'account-notice'`);
  const overdue = () => requeueOverdueNotices(emOf(db), 10);
  const age = (text: string) =>
    db.query('update account_notices set created_at = now() - $2::interval where id = $1', [id, text]);
  await db.query('update account_notices set mailed_at = now() where id <> $1', [id]);
  expect(await overdue()).toBe(0);
  await age('31 seconds');
  expect(await overdue()).toBe(1);
  await age('25 hours');
  expect(await overdue()).toBe(0);
  await age('31 days');
  await asActivity(() =>
    createHousekeepingActivities({ em: emOf(db), callsKeptDays: 7 }).forgetRows({ rows: 'sessions' }),
  );
  expect(await emOf(db).count(AccountNotice, { id })).toBe(0);
});
