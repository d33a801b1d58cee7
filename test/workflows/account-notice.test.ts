import { ApplicationFailure } from '@temporalio/activity';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { notifyPerson } from '#commands/accounts/notices.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { forgetNotices, requeueOverdueNotices } from '#db/accounts/notices.ts';
import { AccountNotice, noticeKinds } from '#db/entities/people.ts';
import type { RelayPart } from '#relay/dispatcher.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { recordHistory } from '#test/support/histories.ts';
import { createPerson } from '#test/support/people.ts';
import { createTestMailer } from '#test/support/mailer.ts';
import { relayContext } from '#test/support/relay.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { startTestWorker, type TestWorker } from '#test/support/test-worker.ts';

const db = useTestDatabase();
const mailer = createTestMailer();
const { mails, failures } = mailer;
let worker: TestWorker;
let relay: RelayPart;

const startRelay = () => {
  const startWorkflow = createStartWorkflow(worker);
  relay = createKindDispatcher('account-notice', relayContext({ db, startWorkflow }));
};
beforeAll(async () => {
  worker = await startTestWorker({
    temporal: temporalForTest(),
    sql: db,
    scanner: { name: 'none', lookup: () => Promise.reject(new Error('not asked')), close: async () => {} },
    accountNotices: { mailer, baseUrl: 'https://api.example.com/' },
  });
  startRelay();
});
afterAll(async () => {
  await relay.stop();
  await worker[Symbol.asyncDispose]();
});
beforeEach(() => {
  mails.length = 0;
  failures.length = 0;
});

/** Tells a new person something. */
async function notify(kind: (typeof noticeKinds)[number], details = {}) {
  const { id: organizationId } = await createOrganization(db);
  const { id: userId, email } = await createPerson(db, { [organizationId]: 'member' });
  const em = emOf(db);
  await em.transactional((em) => notifyPerson(em, { userId, kind, details }, { now: new Date() }));
  const { id } = await em.fork().findOneOrFail(AccountNotice, { user: userId });
  return { id, userId, email };
}

const handleOf = (id: string) => worker.client.workflow.getHandle(`account-notice/${id}`);
const mailed = (id: string): Promise<boolean> =>
  eventually(async () => (await emOf(db).fork().findOneOrFail(AccountNotice, { id })).mailedAt !== null);
const stateOf = async (id: string): Promise<unknown> =>
  (await handleOf(id).describe()).typedSearchAttributes.get(stateKey);

test('a sign-in by a new browser is mailed once, also after the mail server was busy; Temporal knows no person', async () => {
  failures.push(new Error('the server is busy'));
  const { id, email } = await notify('newDevice', { browser: 'Firefox', os: 'Linux' });
  await mailed(id);
  await handleOf(id).result();
  expect(mails).toHaveLength(2);
  expect(mails[1]).toEqual(mails[0]);
  expect(mails[0]).toMatchObject({ to: email, subject: 'New sign-in to your account' });
  expect(mails[0]?.text).toContain('(Firefox, Linux)');
  expect(mails[0]?.text).toContain('\nhttps://api.example.com\n');
  expect(mails[0]?.text).toContain('https://api.example.com/console/settings/you');
  expect(await stateOf(id)).toBe('completed');
  expect(JSON.stringify(await handleOf(id).fetchHistory())).not.toContain(Buffer.from(email).toString('base64'));
  await recordHistory('account-notice', handleOf(id));
});

test.each(noticeKinds)('the mail about %s says what happened, when, and what to do', async (kind) => {
  const { id } = await notify(kind, { factor: 'passkey' });
  await mailed(id);
  const { subject, text } = mails[0]!;
  expect(subject).not.toBe('');
  expect(text).toMatch(/\nWhen: \d{4}-\d\d-\d\dT/);
  expect(text).toMatch(/\/console\/(?:settings\/you|forgot)\n/);
  expect(text).not.toContain('undefined');
  const lines = text.split('\n').filter((line) => !line.startsWith('https://'));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(76);
});

test('a notice that the mail server takes in no attempt ends as unsent', async () => {
  failures.push(ApplicationFailure.nonRetryable('the server takes no mail'));
  const { id } = await notify('passwordChanged');
  await eventually(async () => (await stateOf(id).catch(() => undefined)) === 'unsent');
  expect((await emOf(db).fork().findOneOrFail(AccountNotice, { id })).mailedAt).toBeNull();
  await recordHistory('account-notice-unsent', handleOf(id));
});

test('a notice that the relay has lost is enqueued again until it is mailed or a day old, and forgotten after 30 days', async () => {
  await relay.stop();
  try {
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
    await forgetNotices(emOf(db), new Date());
    expect(await emOf(db).count(AccountNotice, { id })).toBe(0);
  } finally {
    startRelay();
  }
});
