import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { createTestApi, type TestApi, useTestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';

let db: Database;
let api: TestApi;
/** Searches under way, as the API's database sees them, and what ends them. */
let searches: { organizationId: string; end(): void }[];

const base = useTestApi();
beforeAll(async () => {
  db = createDatabase({ url: base.databaseUrl, statementTimeoutMs: 300, idleTransactionTimeoutMs: 300 });
  searches = [];
  // Stands for a search that takes the database seconds: it ends when the test has it end.
  const hold = async (statement: string, values: unknown[] = []): Promise<void> => {
    if (!statement.includes('"search_text" like')) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const search = { organizationId: String(values[0]), end: resolve };
    searches.push(search);
    await promise;
    searches.splice(searches.indexOf(search), 1);
  };
  const connect = async () => {
    const client = await db.pool.connect();
    const query = async (statement: string, values?: unknown[]) => {
      await hold(statement, values);
      return client.query(statement, values);
    };
    return { query, release: (error?: Error) => client.release(error) };
  };
  const pool = Object.assign(Object.create(db.pool) as Pool, { connect });
  const slow: Database = { ...db, pool };
  api = await createTestApi({ besides: base, db: slow });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await db.close();
});

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('searches of one organization', () => {
  it(
    'one search of an organization runs at a time, further ones wait, the next are answered 429, and another organization searches meanwhile',
    { tags: 'slow' },
    async () => {
      const [greedy, other] = [await createOrganization(db), await createOrganization(db)];
      const search = (key: string) =>
        api.call('GET', '/short-link/list?search=e', undefined, { headers: { 'x-api-key': key } });
      const running = Array.from({ length: 20 }, () => search(greedy.key));
      await eventually(() => searches.length === 1);
      await turns();
      expect(searches.map(({ organizationId }) => organizationId)).toEqual([greedy.id]);
      const refused = await Promise.race(running);
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);

      const others = search(other.key);
      await eventually(() => searches.length === 2);
      searches.find(({ organizationId }) => organizationId === other.id)!.end();
      expect((await others).status).toBe(200);
      // Without a search a list waits for nothing.
      const list = await api.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': greedy.key } });
      expect(list.status).toBe(200);

      const answered: unknown[] = [];
      const answers = Promise.all(running.map((answer) => answer.finally(() => answered.push(answer))));
      while (answered.length < running.length) {
        expect(searches.length).toBeLessThanOrEqual(1);
        for (const { end } of searches) end();
        await turns();
      }
      expect((await answers).map(({ status }) => status).toSorted()).toEqual([
        ...Array.from({ length: 17 }, () => 200),
        429,
        429,
        429,
      ]);
    },
  );
});

describe('a statement that takes too long', () => {
  it('a statement that takes too long is ended by the server, and the next statements on its connection work', async () => {
    const bounded = createDatabase({ url: base.databaseUrl, poolMax: 1, statementTimeoutMs: 100 });
    await expect(bounded.query('select pg_sleep(20)')).rejects.toMatchObject({ code: '57014' });
    await expect(
      bounded.transaction(async (tx) => {
        await tx.query('create table cut_off (id int)');
        await tx.query('select pg_sleep(20)');
      }),
    ).rejects.toMatchObject({ code: '57014' });
    const { rows } = await bounded.query(`select to_regclass('cut_off') as made`);
    expect(rows).toEqual([{ made: null }]);
    // Work that is known to take long is not cut off.
    await bounded.transaction((tx) => tx.query('select pg_sleep(0.3)'), { statementTimeoutMs: 0 });
    await bounded.close();
  });

  it('a transaction that waits too long for its next statement loses its connection', async () => {
    const bounded = createDatabase({ url: base.databaseUrl, poolMax: 1, idleTransactionTimeoutMs: 100 });
    const waiting = bounded.transaction(async (tx) => {
      await tx.query('create table left_open (id int)');
      await db.query('select pg_sleep(0.25)');
      await tx.query('select 1');
    });
    await expect(waiting).rejects.toThrow(/connection|terminat/i);
    const { rows } = await bounded.query(`select to_regclass('left_open') as made`);
    expect(rows).toEqual([{ made: null }]);
    await bounded.close();
  });

  it('a statement that takes too long is answered 503 with advice and without the statement', async () => {
    const { id, key } = await createOrganization(db);
    const holder = createDatabase({ url: base.databaseUrl });
    const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = holder.transaction(async (tx) => {
      await tx.query('lock table tags in access exclusive mode');
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const answer = await api.call('GET', '/tag/list', undefined, { headers: { 'x-api-key': key } });
    held.resolve();
    await holding;
    await holder.close();
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('too long') },
    });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.stringify(answer.body)).not.toMatch(/statement|select|cancel/);
    expect((await api.call('GET', '/tag/list', undefined, { headers: { 'x-api-key': key } })).status).toBe(200);
    expect(id).toBeDefined();
  });
});
