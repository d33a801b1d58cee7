// @module-tag slow

import { describe, expect, test } from 'vitest';
import { importRows } from '#commands/imports/imports.ts';
import { Import } from '#db/entities/imports.ts';
import { type Answer, testSite, useTestApi } from '#test/support/api.ts';
import { findNoLocalAnswers } from '#test/support/local-answers.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { writeMultipart } from '#test/support/upload.ts';

// No worker runs here: imports stay as the tests leave them.
const api = useTestApi();

const call = (method: 'GET' | 'POST', path: string, { key }: { key: string }): Promise<Answer> =>
  api.call(method, `/short-link/import/${path}`, undefined, { headers: { 'x-api-key': key } });

async function begin({ key }: TestOrganization, rows = 1): Promise<string> {
  const lines = Array.from({ length: rows }, (_, index) => `https://example.com/${index}`);
  const { payload, headers } = writeMultipart([{ filename: 'a.csv', content: ['url', ...lines].join('\n') }]);
  const options = { payload, headers: { ...headers, 'x-api-key': key } };
  const { status, body } = await api.call('POST', '/short-link/import', undefined, options);
  expect(status).toBe(201);
  return body.id;
}

/** Handles some rows of an import, as one batch of the worker does. */
const makeRows = (id: string, rows: number) =>
  emOf(api.db).transactional((em) =>
    importRows(em, id, rows, { site: testSite, now: new Date(), findLocalAnswers: findNoLocalAnswers }),
  );
const cancel = (id: string, organization: TestOrganization) => call('POST', `${id}/cancel`, organization);
const rowsLeft = async (id: string): Promise<number> =>
  (await api.db.query('select from import_rows where import_id = $1 and state is null', [id])).rowCount ?? 0;
const linksOf = async ({ id }: TestOrganization): Promise<number> =>
  (await api.db.query('select from short_links where organization_id = $1', [id])).rowCount ?? 0;

describe('GET /short-link/import/list 200', () => {
  test('pages imports, the most recent first, whatever begins meanwhile', async () => {
    const organization = await createOrganization(api.db);
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      ids.unshift(await begin(organization, made));
      // At most three are unfinished.
      await makeRows(ids[0]!, 10);
      await makeRows(ids[0]!, 10);
    }
    const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);
    const all = await call('GET', 'list', organization);
    expect(all).toMatchObject({ status: 200, body: { count: 5 } });
    expect(all.body.nextCursor).toBeNull();
    expect(idsOf(all)).toEqual(ids);
    expect(all.body.data[0]).toEqual((await call('GET', ids[0]!, organization)).body);
    expect(idsOf(await call('GET', 'list?limit=2&page=1', organization))).toEqual(ids.slice(2, 4));
    expect((await call('GET', 'list?limit=0', organization)).body).toEqual({ count: 5, data: [], nextCursor: null });
    const first = await call('GET', 'list?limit=2', organization);
    await begin(organization);
    const second = await call('GET', `list?limit=2&cursor=${first.body.nextCursor}`, organization);
    const last = await call('GET', `list?limit=2&cursor=${second.body.nextCursor}`, organization);
    expect([first, second, last].map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(last.body.nextCursor).toBeNull();
  });

  test('imports that began in the same millisecond are on one page each', async () => {
    const organization = await createOrganization(api.db);
    const ids = [await begin(organization), await begin(organization), await begin(organization)];
    await api.db.query(`update imports set created_at = '2026-01-01' where organization_id = $1`, [organization.id]);
    const seen: string[] = [];
    for (let query = 'list?limit=1'; query !== '';) {
      const { body } = await call('GET', query, organization);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      query = body.nextCursor === null ? '' : `list?limit=1&cursor=${body.nextCursor}`;
    }
    expect(seen).toEqual(ids.toSorted().toReversed());
  });

  test('filters by one state or several', async () => {
    const organization = await createOrganization(api.db);
    const [pending, running, completed] = [
      await begin(organization),
      await begin(organization, 2),
      await begin(organization, 0),
    ];
    await makeRows(running, 1);
    await makeRows(completed, 1);
    const cancelled = await begin(organization);
    await cancel(cancelled, organization);
    const list = async (query: string): Promise<[number, string[]]> => {
      const { body } = await call('GET', `list?${query}`, organization);
      return [body.count, body.data.map(({ id }: { id: string }) => id)];
    };
    expect(await list('states=running')).toEqual([1, [running]]);
    expect(await list('states=pending,running')).toEqual([2, [running, pending]]);
    expect(await list('states[]=cancelled&states[]=completed')).toEqual([2, [cancelled, completed]]);
    expect(await list('states=failed')).toEqual([0, []]);
  });
});

describe('GET /short-link/import/list 400', () => {
  test('a page beside a cursor is refused', async () => {
    const organization = await createOrganization(api.db);
    await begin(organization);
    await begin(organization);
    const { nextCursor } = (await call('GET', 'list?limit=1', organization)).body;
    const { status, body } = await call('GET', `list?page=1&cursor=${nextCursor}`, organization);
    expect([status, body.issues]).toEqual([400, [{ path: 'page', message: 'cannot be given with cursor' }]]);
  });
});

describe('POST /short-link/import/{id}/cancel 200', () => {
  test('links that were made stay, the other rows are dropped and counted', async () => {
    const organization = await createOrganization(api.db);
    const id = await begin(organization, 10);
    await makeRows(id, 4);
    const { status, body } = await cancel(id, organization);
    expect(status).toBe(200);
    const counts = { total: 10, imported: 4, skipped: 0, failed: 0, notMade: 6 };
    expect(body).toMatchObject({ id, state: 'cancelled', ...counts, finishedAt: expect.any(String) });
    expect(body).toEqual((await call('GET', id, organization)).body);
    expect([await linksOf(organization), await rowsLeft(id)]).toEqual([4, 0]);
    expect((await call('GET', `${id}/rows`, organization)).body.count).toBe(4);
    // A worker that comes later makes no row.
    expect(await makeRows(id, 10)).toMatchObject({ state: 'cancelled', imported: 4 });
    expect(await linksOf(organization)).toBe(4);
    expect(await emOf(api.db).findOneOrFail(Import, { id })).toMatchObject({ state: 'cancelled', dueAt: null });
  });

  test('an import that no worker has begun makes no link, and counts no longer as unfinished', async () => {
    const organization = await createOrganization(api.db);
    for (let made = 0; made < 4; made += 1) {
      const id = await begin(organization, 3);
      expect((await cancel(id, organization)).body).toMatchObject({ state: 'cancelled', imported: 0, notMade: 3 });
    }
    expect(await linksOf(organization)).toBe(0);
  });

  test('a second cancel changes nothing, and neither does the cancel of an import that has ended', async () => {
    const organization = await createOrganization(api.db);
    const id = await begin(organization, 2);
    const [first, second] = await Promise.all([cancel(id, organization), cancel(id, organization)]);
    expect(second).toMatchObject({ status: 200, body: first.body });
    const ended = await begin(organization, 1);
    for (const _ of ['row', 'end']) await makeRows(ended, 5);
    expect(await cancel(ended, organization)).toMatchObject({
      status: 200,
      body: { state: 'completed', imported: 1, notMade: 0 },
    });
  });

  test('a cancel beside batches counts exactly the rows that were made, the last one included', async () => {
    const organization = await createOrganization(api.db);
    for (const atMs of [0, 3, 10, 25]) {
      const before = await linksOf(organization);
      const id = await begin(organization, 40);
      const batches = (async () => {
        while ((await makeRows(id, 10))?.state === 'running') continue;
      })();
      await new Promise((resolve) => void setTimeout(resolve, atMs));
      const { body } = await cancel(id, organization);
      await batches;
      expect(['cancelled', 'completed']).toContain(body.state);
      expect(body.imported + body.notMade).toBe(40);
      expect((await linksOf(organization)) - before).toBe(body.imported);
      expect((await call('GET', id, organization)).body).toEqual(body);
      expect(await rowsLeft(id)).toBe(0);
    }
  });
});
