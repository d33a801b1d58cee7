import { expect, test } from 'vitest';
import type { Mail } from '#core/lib/mail.ts';
import { requeueOverdueInvitations } from '#db/organizations/invitations.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { useMailActivities } from '#test/support/mail-activities.ts';
import { createSignedIn } from '#test/support/people.ts';
import { startsFor } from '#test/support/relay.ts';

const api = useOwnTestApi();
const { mails, failures, activitiesOf } = useMailActivities();

/** An organization whose owner invites. */
async function invite() {
  const organization = await createOrganization(api.db);
  const { headers } = await createSignedIn(api.db, organization.id, 'owner');
  const call = (method: 'POST' | 'DELETE', path: string, body?: object) =>
    api.call(method, `/organization/invitations${path}`, body, { headers });
  const email = `invited-${Date.now()}@example.com`;
  const { status, body } = await call('POST', '', { email, role: 'member' });
  expect(status).toBe(201);
  return { id: body.id as string, email, call };
}
const look = (invitationId: string) => activitiesOf(api.db).lookAtInvitation({ invitationId });
const accept = (token: string) =>
  api.call(
    'POST',
    '/auth/invitation/accept',
    { token, name: 'Grace Hopper', password: 'a new long password' },
    { headers: { 'x-api-key': undefined } },
  );
const tokenIn = (mail: Mail | undefined): string =>
  /^https:\/\/api\.example\.com\/console\/join#token=([\w-]{64})$/m.exec(mail?.text ?? '')?.[1] ?? '';

test('an invited person joins by the link of the mail, which Temporal does not know, and the invitation is over', async () => {
  const { id, email } = await invite();
  const starts = await startsFor(api.db, 'invitation');
  expect(starts.map(({ options }) => options.workflowId)).toEqual([`invitation/${id}`]);
  failures.push(new Error('the server is busy'));
  await expect(look(id)).rejects.toThrow('the server is busy');
  const { isMailed, openForMs } = await look(id);
  expect(isMailed).toBe(true);
  expect(openForMs).toBeGreaterThan(6 * 86_400_000);
  // Refused once, and then the same mail again.
  expect(mails).toHaveLength(2);
  expect(mails[1]).toEqual(mails[0]);
  expect(mails[0]).toMatchObject({ to: email, subject: expect.stringMatching(/^Join .+ on Waymark$/) });
  const token = tokenIn(mails[0]);
  for (const secret of [token, email]) expect(JSON.stringify(starts)).not.toContain(secret);
  expect((await accept(token)).status).toBe(200);
  expect((await look(id)).openForMs).toBeUndefined();
});

test('an invitation that is sent again has a second mail with the same link; taken back, it is over', async () => {
  const { id, call } = await invite();
  await look(id);
  await look(id);
  expect(mails).toHaveLength(1);
  expect((await call('POST', `/${id}/resend`)).status).toBe(200);
  await look(id);
  expect(mails).toHaveLength(2);
  expect(tokenIn(mails[1])).toBe(tokenIn(mails[0]));
  expect(mails[1]?.messageId).not.toBe(mails[0]?.messageId);
  expect((await call('DELETE', `/${id}`)).status).toBe(200);
  expect((await look(id)).openForMs).toBeUndefined();
  expect((await accept(tokenIn(mails[0]))).status).toBe(400);
});

test('a look ends an invitation whose time is over', async () => {
  const { id } = await invite();
  await look(id);
  await api.db.query(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [id]);
  expect((await look(id)).openForMs).toBeUndefined();
  const { rows } = await api.db.query('select outcome from invitations where id = $1', [id]);
  expect(rows).toEqual([{ outcome: 'expired' }]);
});

test('an invitation that the relay has lost is enqueued again until it is mailed, and once its time is over', async () => {
  const { id } = await invite();
  await api.db.query(`delete from outbox where kind = 'invitation'`);
  const overdue = () => requeueOverdueInvitations(emOf(api.db), 10);
  expect(await overdue()).toBe(0);
  await api.db.query(`update invitations set mail_wanted_at = now() - interval '31 seconds' where id = $1`, [id]);
  expect(await overdue()).toBe(1);
  await api.db.query('update invitations set mailed_at = now() where id = $1', [id]);
  expect(await overdue()).toBe(0);
  await api.db.query(`update invitations set expires_at = now() - interval '31 seconds' where id = $1`, [id]);
  expect(await overdue()).toBe(1);
});
