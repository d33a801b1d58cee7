import { ApplicationFailure } from '@temporalio/activity';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { requeueOverdueResets } from '#db/accounts/password-resets.ts';
import type { RelayPart } from '#relay/dispatcher.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { testSecretKey, useTestApi } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordHistory } from '#test/support/histories.ts';
import { createPerson, testPassword } from '#test/support/people.ts';
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
    passwordResets: { mailer, sealing: createSealing([testSecretKey]), baseUrl },
  });
  const startWorkflow = createStartWorkflow(worker);
  relay = createKindDispatcher('password-reset', relayContext({ db: api.db, startWorkflow }));
});
afterAll(async () => {
  await relay.stop();
  await worker[Symbol.asyncDispose]();
});
beforeEach(() => {
  mails.length = 0;
  failures.length = 0;
});

const withoutKey = { headers: { 'x-api-key': undefined } };
const post = (path: string, body: object) => api.call('POST', path, body, withoutKey);

async function ask(email: string): Promise<string> {
  expect((await post('/auth/password/forgot', { email })).status).toBe(200);
  const { rows } = await api.db.query<{ id: string }>(
    'select r.id from password_resets r join users u on u.id = r.user_id where u.email = $1',
    [email],
  );
  return rows[0]!.id;
}
const handleOf = (id: string) => worker.client.workflow.getHandle(`password-reset/${id}`);
const started = (id: string): Promise<boolean> =>
  eventually(() =>
    handleOf(id)
      .describe()
      .then(
        () => true,
        () => false,
      ),
  );
const waiting = async (): Promise<number> =>
  (await api.db.query(`select from outbox where kind = 'password-reset'`)).rowCount!;

test('a person who forgot the password sets a new one by the link of the mail, which Temporal does not know', async () => {
  const person = await createPerson(api.db, { [api.organization.id]: 'member' });
  failures.push(new Error('the server is busy'));
  const id = await ask(person.email);
  await started(id);
  expect(await handleOf(id).result()).toEqual({ isMailed: true });
  expect((await handleOf(id).describe()).typedSearchAttributes.get(stateKey)).toBe('completed');
  // Refused once, and then the same mail again.
  expect(mails).toHaveLength(2);
  expect(mails[1]).toEqual(mails[0]);
  expect(mails[0]).toMatchObject({ to: person.email, messageId: `password-reset-${id}@waymark` });
  const [, token] = /^https:\/\/api\.example\.com\/console\/reset#token=([\w-]{64})$/m.exec(mails[0]!.text)!;
  const history = JSON.stringify(await handleOf(id).fetchHistory());
  for (const secret of [token!, person.email]) {
    expect(history).not.toContain(secret);
    expect(history).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20));
  }
  await recordHistory('password-reset', handleOf(id));
  const answer = await post('/auth/password/reset', { token, newPassword: 'chosen by the link' });
  expect(answer).toMatchObject({ status: 200, body: { user: { id: person.id } } });
  expect((await post('/auth/login', { email: person.email, password: testPassword })).status).toBe(401);
});

test('no workflow begins for an e-mail that no account has', async () => {
  expect((await post('/auth/password/forgot', { email: 'nobody@example.com' })).status).toBe(200);
  await eventually(async () => (await waiting()) === 0);
  expect(mails).toEqual([]);
});

test('a mail that the server takes in no attempt is given up', async () => {
  const person = await createPerson(api.db, { [api.organization.id]: 'member' });
  failures.push(ApplicationFailure.nonRetryable('the server takes no mail'));
  const id = await ask(person.email);
  await started(id);
  expect(await handleOf(id).result()).toEqual({ isMailed: false });
  expect((await handleOf(id).describe()).typedSearchAttributes.get(stateKey)).toBe('unsent');
  await recordHistory('password-reset-unsent', handleOf(id));
});

test('a request that the relay has lost is enqueued again until it is mailed', async () => {
  const person = await createPerson(api.db, { [api.organization.id]: 'member' });
  await relay.stop();
  const id = await ask(person.email);
  await api.db.query(`delete from outbox where kind = 'password-reset'`);
  expect(await requeueOverdueResets(emOf(api.db), 10)).toBe(0);
  await api.db.query(`update password_resets set created_at = now() - interval '31 seconds' where id = $1`, [id]);
  expect(await requeueOverdueResets(emOf(api.db), 10)).toBe(1);
  expect(await waiting()).toBe(1);
  await api.db.query('update password_resets set mailed_at = now() where id = $1', [id]);
  expect(await requeueOverdueResets(emOf(api.db), 10)).toBe(0);
});
