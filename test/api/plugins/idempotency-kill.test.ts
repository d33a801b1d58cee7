// @module-tag process

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { createKeyUses } from '#api/auth/key-uses.ts';
import { ensurePlatformDomain } from '#db/domains/platform.ts';
import { type ProductProcess, startProcess } from '#test/support/product-process.ts';
import { createTestApi } from '#test/support/api.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { createTcpProxy } from '#test/support/tcp-proxy.ts';
import { emOf } from '#test/support/entity-managers.ts';

// Calls under an Idempotency-Key that end half-way (1.8): the API's process is killed, or its connection to the database breaks.

interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- a body of any shape
  body: any;
}

/** Asked again after another one was killed. */
let second: Api & AsyncDisposable;
let organization: TestOrganization;
let key: string;

// Every commit of a new link waits for it.
const gate = 7_290_499;

const db = useTestDatabase({ onError: () => {} });
beforeAll(async () => {
  await ensurePlatformDomain(db, 'localhost:3001');
  await db.query(`create function wait_at_commit() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${gate}); return null; end $$`);
  await db.query(`create constraint trigger wait_at_commit after insert on short_links
    deferrable initially deferred for each row execute function wait_at_commit()`);
  organization = await createOrganization(db);
  second = await openApi(db.url);
});
afterAll(() => second[Symbol.asyncDispose]());
beforeEach(async () => {
  organization = await createOrganization(db);
  key = randomUUID();
});

/** What answers on a port: a process, or an API of this one. */
type Api = Pick<ProductProcess, 'url'>;

/** An API of this process, on a port: what breaks is its connection, not it. */
async function openApi(databaseUrl: string): Promise<Api & AsyncDisposable> {
  const sql = createDatabase({ url: databaseUrl, onError: () => {} });
  // The uses of keys are not written down while the database is away.
  const keyUses = createKeyUses(emOf(sql), () => {});
  const api = await createTestApi({ besides: { databaseUrl, organization }, keyUses });
  return {
    url: await api.app.listen({ host: '127.0.0.1', port: 0 }),
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await sql.close();
    },
  };
}

async function post(api: Api, timeoutMs = 20_000): Promise<Answer> {
  const response = await fetch(`${api.url}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': organization.key, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ destination: { type: 'link', value: 'https://example.com/once' } }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Calls an API that is about to be killed. @returns how the call fails. */
const dying = (api: ProductProcess): Promise<string> =>
  post(api).then(
    ({ status }) => `answered ${status}`,
    (error: Error) => error.message,
  );

/** The minute for which a call that died holds its key is over. */
const passMinute = () => db.query(`update idempotency_keys set claimed_until = claimed_until - interval '1 minute'`);
const linkIds = async (): Promise<string[]> =>
  (await db.query<{ id: string }>('select id from short_links where organization_id = $1', [organization.id])).rows.map(
    ({ id }) => id,
  );

/** Makes commits of new links wait until `open`. */
async function holdCommits(): Promise<{ open(): Promise<void> }> {
  const holder = new pg.Client({ connectionString: db.url });
  await holder.connect();
  await holder.query('select pg_advisory_lock($1)', [gate]);
  return { open: () => holder.end() };
}

const waitingFor = (statement: string) =>
  eventually(
    async () =>
      (
        await db.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike $1`,
          [statement],
        )
      ).rowCount,
    (count) => count === 1,
  );

/** The key presents the one link that was made, and from then on replays the answer. */
async function expectPresented(api: Api, presented: Answer): Promise<void> {
  const [id] = await linkIds();
  expect(presented).toMatchObject({ status: 201, body: { id, destination: { value: 'https://example.com/once' } } });
  expect(presented.headers.get('idempotency-replayed')).toBeNull();
  const replayed = await post(api);
  expect(replayed).toMatchObject({ status: 201, body: presented.body });
  expect(replayed.headers.get('idempotency-replayed')).toBe('true');
  expect(await linkIds()).toEqual([id]);
}

/** The key of a process that died is held for a minute. */
async function expectPresentedAfterMinute(api: Api): Promise<void> {
  expect(await post(api)).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
  await passMinute();
  await expectPresented(api, await post(api));
}

describe('an API killed in the middle of a call', () => {
  test(
    'an API killed after its commit, while it waits for the verdict, has made the link once',
    { tags: 'nightly' },
    async () => {
      // No worker runs, and the service of the verdicts is not asked: the call would wait to the end.
      const remote = { WEB_RISK_API_KEY: 'none' };
      const first = await startProcess('api', db.url, { THREAT_SCAN_WAIT_MS: '30000', ...remote });
      const call = dying(first);
      await eventually(linkIds, ({ length }) => length === 1);
      await first.kill();
      expect(await call).toBe('fetch failed');
      await expectPresentedAfterMinute(second);
    },
  );

  test('an API killed while its commit is under way has made the link once', { tags: 'nightly' }, async () => {
    const commits = await holdCommits();
    const first = await startProcess('api', db.url, { THREAT_SCAN_WAIT_MS: '0' });
    const call = dying(first);
    await waitingFor('commit');
    await first.kill();
    expect(await call).toBe('fetch failed');
    expect(await linkIds()).toEqual([]);
    await commits.open();
    await eventually(linkIds, ({ length }) => length === 1);
    await expectPresentedAfterMinute(second);
  });

  test('an API killed before its commit has made nothing, and the call runs again', { tags: 'nightly' }, async () => {
    const blocker = await db.pool.connect();
    await blocker.query('begin');
    await blocker.query('lock table outbox in access exclusive mode');
    const first = await startProcess('api', db.url, { THREAT_SCAN_WAIT_MS: '0' });
    const call = dying(first);
    await waitingFor('%with known as materialized%');
    await first.kill();
    expect(await call).toBe('fetch failed');
    await blocker.query('rollback');
    blocker.release();
    expect(await post(second)).toMatchObject({ status: 409 });
    expect(await linkIds()).toEqual([]);
    await passMinute();
    const made = await post(second);
    expect(made.status).toBe(201);
    expect(await linkIds()).toEqual([made.body.id]);
  });
});

describe('an API that lives on, while its connection breaks', () => {
  const retried = (api: Api): Promise<Answer> =>
    eventually(
      () => post(api),
      ({ status }) => status === 201,
    );
  const expectUnavailable = (answer: Answer): void => {
    expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  };
  const holder = async (): Promise<number> =>
    (
      await db.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and query = 'commit' and wait_event_type = 'Lock'`,
      )
    ).rows[0]!.pid;

  test('a connection that breaks at a commit that succeeds: the link is presented as soon as the database is back', async () => {
    const commits = await holdCommits();
    await using proxy = await createTcpProxy(db.url);
    await using api = await openApi(proxy.url);
    const call = post(api);
    await waitingFor('commit');
    proxy.cut();
    expectUnavailable(await call);
    await commits.open();
    const [id] = await eventually(linkIds, ({ length }) => length === 1);
    proxy.restore();
    const presented = await retried(api);
    expect(presented.body.id).toBe(id);
    await expectPresented(api, presented);
  });

  test('a connection that breaks at a commit still under way: the key waits for the commit in every process', async () => {
    const commits = await holdCommits();
    await using proxy = await createTcpProxy(db.url);
    await using api = await openApi(proxy.url);
    const call = post(api);
    await waitingFor('commit');
    proxy.cut();
    expectUnavailable(await call);
    proxy.restore();
    await waitingFor('update "idempotency_keys" set "claimed_until" = %');
    expect(await linkIds()).toEqual([]);
    await commits.open();
    await expectPresented(second, await retried(second));
  });

  test('a connection that breaks at a commit that fails: nothing is made, and the call runs again at once', async () => {
    const commits = await holdCommits();
    await using proxy = await createTcpProxy(db.url);
    await using api = await openApi(proxy.url);
    const call = post(api);
    await waitingFor('commit');
    const pid = await holder();
    proxy.cut();
    await db.query('select pg_terminate_backend($1)', [pid]);
    expectUnavailable(await call);
    await commits.open();
    proxy.restore();
    const made = await retried(api);
    expect(await linkIds()).toEqual([made.body.id]);
    expect((await post(api)).headers.get('idempotency-replayed')).toBe('true');
  });

  test('a commit that fails while the database is reachable frees the key with the answer', async () => {
    await using api = await openApi(db.url);
    const commits = await holdCommits();
    const call = post(api);
    await waitingFor('commit');
    const pid = await holder();
    await db.query('select pg_terminate_backend($1)', [pid]);
    expectUnavailable(await call);
    await commits.open();
    expect((await post(api)).status).toBe(201);
    expect(await linkIds()).toHaveLength(1);
  });
});
