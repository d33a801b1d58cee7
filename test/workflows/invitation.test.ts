import { ApplicationFailure } from '@temporalio/activity';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import type { Mail } from '#core/lib/mail.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { requeueOverdueInvitations } from '#db/organizations/invitations.ts';
import type { RelayPart } from '#relay/dispatcher.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { testSecretKey, useTestApi } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordHistory } from '#test/support/histories.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';
import { createTestMailer } from '#test/support/mailer.ts';
import { relayContext } from '#test/support/relay.ts';
import { temporalForTest } from '#test/support/stack.ts';
import { startTestWorker, type TestWorker } from '#test/support/test-worker.ts';

const api = useTestApi();
const baseUrl = 'https://api.example.com';

const mailer = createTestMailer();
const { mails, failures } = mailer;
let worker: TestWorker;
let relay: RelayPart;

beforeAll(async () => {
  worker = await startTestWorker({
    temporal: temporalForTest(),
    sql: api.db,
    scanner: { name: 'none', lookup: () => Promise.reject(new Error('not asked')), close: async () => {} },
    invitations: { mailer, sealing: createSealing([testSecretKey]), baseUrl },
  });
  const startWorkflow = createStartWorkflow(worker);
  relay = createKindDispatcher('invitation', relayContext({ db: api.db, startWorkflow }));
});
afterAll(async () => {
  await relay.stop();
  await worker[Symbol.asyncDispose]();
});
beforeEach(() => {
  mails.length = 0;
  failures.length = 0;
});

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

const handleOf = (id: string) => worker.client.workflow.getHandle(`invitation/${id}`);
const stateOf = (id: string): Promise<unknown> =>
  handleOf(id)
    .describe()
    .then(
      ({ typedSearchAttributes }) => typedSearchAttributes.get(stateKey),
      () => undefined,
    );
const mailed = (id: string): Promise<boolean> =>
  eventually(async () => {
    const { rows } = await api.db.query<{ mailed_at: Date | null }>('select mailed_at from invitations where id = $1', [
      id,
    ]);
    return rows[0] !== undefined && rows[0].mailed_at !== null;
  });
const accept = (token: string) =>
  api.call(
    'POST',
    '/auth/invitation/accept',
    { token, name: 'Grace Hopper', password: 'a new long password' },
    { headers: { 'x-api-key': undefined } },
  );
const tokenIn = (mail: Mail | undefined): string =>
  /^https:\/\/api\.example\.com\/console\/join#token=([\w-]{64})$/m.exec(mail?.text ?? '')?.[1] ?? '';

test('an invited person joins by the link of the mail, which Temporal does not know, and the workflow ends', async () => {
  failures.push(new Error('the server is busy'));
  const { id, email } = await invite();
  await mailed(id);
  // Refused once, and then the same mail again.
  expect(mails).toHaveLength(2);
  expect(mails[1]).toEqual(mails[0]);
  expect(mails[0]).toMatchObject({ to: email, subject: expect.stringMatching(/^Join .+ on Waymark$/) });
  const token = tokenIn(mails[0]);
  expect(await stateOf(id)).toBe('open');
  expect((await accept(token)).status).toBe(200);
  await handleOf(id).result();
  expect(await stateOf(id)).toBe('completed');
  const history = JSON.stringify(await handleOf(id).fetchHistory());
  for (const secret of [token, email]) {
    expect(history).not.toContain(secret);
    expect(history).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20));
  }
  await recordHistory('invitation', handleOf(id));
});

test('an invitation that is sent again has a second mail with the same link; taken back, it ends', async () => {
  const { id, call } = await invite();
  await mailed(id);
  expect((await call('POST', `/${id}/resend`)).status).toBe(200);
  await eventually(() => Promise.resolve(mails.length === 2));
  expect(tokenIn(mails[1])).toBe(tokenIn(mails[0]));
  expect(mails[1]?.messageId).not.toBe(mails[0]?.messageId);
  expect((await call('DELETE', `/${id}`)).status).toBe(200);
  await handleOf(id).result();
  expect((await accept(tokenIn(mails[0]))).status).toBe(400);
  await recordHistory('invitation-revoked', handleOf(id));
});

test('an invitation whose time is over is ended by its workflow', async () => {
  await relay.stop();
  const { id } = await invite();
  await api.db.query(`update invitations set expires_at = now() + interval '2 s' where id = $1`, [id]);
  const startWorkflow = createStartWorkflow(worker);
  relay = createKindDispatcher('invitation', relayContext({ db: api.db, startWorkflow }));
  await handleOf(id)
    .result()
    .catch(() => eventually(async () => (await stateOf(id)) !== undefined).then(() => handleOf(id).result()));
  const { rows } = await api.db.query('select outcome from invitations where id = $1', [id]);
  expect(rows).toEqual([{ outcome: 'expired' }]);
  await recordHistory('invitation-expired', handleOf(id));
});

test('a mail that the server takes in no attempt is told in the state, and is sent when it is asked for again', async () => {
  failures.push(ApplicationFailure.nonRetryable('the server takes no mail'));
  const { id, call } = await invite();
  await eventually(async () => (await stateOf(id)) === 'unsent');
  expect((await call('POST', `/${id}/resend`)).status).toBe(200);
  await mailed(id);
  await eventually(async () => (await stateOf(id)) === 'open');
  await recordHistory('invitation-unsent', handleOf(id));
  expect((await call('DELETE', `/${id}`)).status).toBe(200);
  await handleOf(id).result();
});

test('an invitation that the relay has lost is enqueued again until it is mailed, and once its time is over', async () => {
  await relay.stop();
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
