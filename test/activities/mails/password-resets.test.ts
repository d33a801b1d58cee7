import { expect, test } from 'vitest';
import { requeueOverdueResets } from '#db/accounts/password-resets.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useMailActivities } from '#test/support/mail-activities.ts';
import { createPerson, testPassword } from '#test/support/people.ts';
import { startsFor } from '#test/support/relay.ts';

const api = useOwnTestApi();
const { mails, failures, activitiesOf } = useMailActivities();

const withoutKey = { headers: { 'x-api-key': undefined } };
const post = (path: string, body: object) => api.call('POST', path, body, withoutKey);
const mail = (resetId: string) => activitiesOf(api.db).mailPasswordReset({ resetId });

async function ask(email: string): Promise<string> {
  expect((await post('/auth/password/forgot', { email })).status).toBe(200);
  const { rows } = await api.db.query<{ id: string }>(
    'select r.id from password_resets r join users u on u.id = r.user_id where u.email = $1',
    [email],
  );
  return rows[0]!.id;
}

test('a person who forgot the password sets a new one by the link of the mail, which Temporal does not know', async () => {
  const person = await createPerson(api.db, { [api.organization.id]: 'member' });
  const id = await ask(person.email);
  const starts = await startsFor(api.db, 'password-reset');
  expect(starts.map(({ options }) => options.workflowId)).toEqual([`password-reset/${id}`]);
  failures.push(new Error('the server is busy'));
  await expect(mail(id)).rejects.toThrow('the server is busy');
  expect(await mail(id)).toEqual({ isMailed: true });
  expect(await mail(id)).toEqual({ isMailed: false });
  // Refused once, and then the same mail again.
  expect(mails).toHaveLength(2);
  expect(mails[1]).toEqual(mails[0]);
  expect(mails[0]).toMatchObject({ to: person.email, messageId: `password-reset-${id}@waymark` });
  const [, token] = /^https:\/\/api\.example\.com\/console\/reset#token=([\w-]{64})$/m.exec(mails[0]!.text)!;
  for (const secret of [token!, person.email]) expect(JSON.stringify(starts)).not.toContain(secret);
  const answer = await post('/auth/password/reset', { token, newPassword: 'chosen by the link' });
  expect(answer).toMatchObject({ status: 200, body: { user: { id: person.id } } });
  expect((await post('/auth/login', { email: person.email, password: testPassword })).status).toBe(401);
});

test('no workflow begins for an e-mail that no account has', async () => {
  expect((await post('/auth/password/forgot', { email: 'nobody@example.com' })).status).toBe(200);
  expect(await startsFor(api.db, 'password-reset')).toEqual([]);
});

test('a request that the relay has lost is enqueued again until it is mailed', async () => {
  const person = await createPerson(api.db, { [api.organization.id]: 'member' });
  const id = await ask(person.email);
  await api.db.query(`delete from outbox where kind = 'password-reset'`);
  expect(await requeueOverdueResets(emOf(api.db), 10)).toBe(0);
  await api.db.query(`update password_resets set created_at = now() - interval '31 seconds' where id = $1`, [id]);
  expect(await requeueOverdueResets(emOf(api.db), 10)).toBe(1);
  expect((await api.db.query(`select from outbox where kind = 'password-reset'`)).rowCount).toBe(1);
  await api.db.query('update password_resets set mailed_at = now() where id = $1', [id]);
  expect(await requeueOverdueResets(emOf(api.db), 10)).toBe(0);
});
