// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { importRows } from '#commands/imports/imports.ts';
import { undoRows } from '#commands/imports/undo.ts';
import { Import } from '#db/entities/imports.ts';
import { type Answer, testSite, useTestApi } from '#test/support/api.ts';
import { findNoLocalAnswers } from '#test/support/local-answers.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';
import { writeMultipart } from '#test/support/upload.ts';

// No worker runs here: undos stay as the tests leave them.
const api = useTestApi();

const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, key: string, body?: unknown) =>
  api.call(method, path === '' ? '/short-link' : `/short-link/${path}`, body, { headers: { 'x-api-key': key } });
const undo = (id: string, { key }: { key: string }, body?: unknown): Promise<Answer> =>
  call('POST', `import/${id}/undo`, key, body);
const read = async (id: string, { key }: TestOrganization) => (await call('GET', `import/${id}`, key)).body;

async function begin({ key }: TestOrganization, slugs: readonly string[]): Promise<string> {
  const lines = slugs.map((slug) => `${slug},https://example.com/${slug}`);
  const { payload, headers } = writeMultipart([{ filename: 'a.csv', content: ['keyword,url', ...lines].join('\n') }]);
  const options = { payload, headers: { ...headers, 'x-api-key': key } };
  const { status, body } = await api.call('POST', '/short-link/import', undefined, options);
  expect(status).toBe(201);
  return body.id;
}

const step = (id: string, rows = 100) =>
  emOf(api.db).transactional((em) =>
    importRows(em, id, rows, { site: testSite, now: new Date(), findLocalAnswers: findNoLocalAnswers }),
  );
const undoSome = (id: string, links = 100) => emOf(api.db).transactional((em) => undoRows(em, id, links, new Date()));

/** Imports links with random slugs, and waits for the end. @returns the import and its links in the order of the file. */
async function imported(organization: TestOrganization, rows: number): Promise<{ id: string; links: string[] }> {
  const id = await begin(
    organization,
    Array.from({ length: rows }, () => uuidv7()),
  );
  for (const _ of ['rows', 'end']) await step(id);
  const { body } = await call('GET', `import/${id}/rows`, organization.key);
  return { id, links: body.data.map(({ shortLinkId }: { shortLinkId: string }) => shortLinkId) };
}

/** Undoes to the end, as the worker does. */
async function undoAll(id: string, links = 100): Promise<void> {
  while ((await undoSome(id, links))?.state === 'undoing') continue;
}

const live = async ({ id }: TestOrganization): Promise<string[]> =>
  (
    await api.db.query<{ id: string }>(
      'select id from short_links where organization_id = $1 and deleted_at is null order by id',
      [id],
    )
  ).rows.map((row) => row.id);
const deletedEvents = async ({ id }: TestOrganization): Promise<number> =>
  (await api.db.query(`select from events where organization_id = $1 and type = 'link.deleted'`, [id])).rowCount ?? 0;
const queued = async (id: string): Promise<number> =>
  (await api.db.query(`select from outbox where kind = 'import' and subject_id = $1`, [id])).rowCount ?? 0;

describe('POST /short-link/import/{id}/undo 202', () => {
  test('the links of the import go, each with its event, and other links stay', async () => {
    const organization = await createOrganization(api.db);
    const { body: own } = await call('POST', '', organization.key, {
      destination: { type: 'link', value: 'https://example.com/own' },
    });
    const { id, links } = await imported(organization, 7);
    await api.db.query(`delete from outbox where subject_id = $1`, [id]);
    const { status, body } = await undo(id, organization);
    expect(status).toBe(202);
    const progress = { includeChanged: false, removed: 0, kept: 0, left: 7, finishedAt: null };
    expect(body).toMatchObject({ id, state: 'undoing', imported: 7, undo: progress });
    expect(await read(id, organization)).toEqual(body);
    expect(await queued(id)).toBe(1);

    await undoSome(id, 3);
    expect((await read(id, organization)).undo).toMatchObject({ removed: 3, kept: 0, left: 4, finishedAt: null });
    expect(await live(organization)).toHaveLength(5);
    await undoAll(id, 3);
    const undone = await read(id, organization);
    expect(undone).toMatchObject({ state: 'undone', imported: 7, undo: { removed: 7, kept: 0, left: 0 } });
    expect(undone.undo.finishedAt).toEqual(expect.any(String));
    expect(await live(organization)).toEqual([own.id]);
    expect(await deletedEvents(organization)).toBe(7);
    for (const link of links) expect((await call('GET', link, organization.key)).status).toBe(404);
    // The names are free: the file can be sent again, mended.
    expect(await emOf(api.db).findOneOrFail(Import, { id })).toMatchObject({ state: 'undone', dueAt: null });
  });

  test('links that were clicked or edited are kept, and go with includeChanged', async () => {
    const organization = await createOrganization(api.db);
    const { id, links } = await imported(organization, 5);
    const [clicked, edited, tagged] = links as [string, string, string];
    const places = { organizationId: organization.id, domainId: uuidv7(), folderId: uuidv7() };
    await ingestClicks(api.db, [testClick({ ...places, linkId: clicked })]);
    expect((await call('PATCH', edited, organization.key, { title: 'New' })).status).toBe(200);
    expect((await call('PATCH', tagged, organization.key, { tags: ['spring'] })).status).toBe(200);
    await undo(id, organization);
    await undoAll(id, 2);
    expect(await read(id, organization)).toMatchObject({ state: 'undone', undo: { removed: 2, kept: 3, left: 0 } });
    expect(await live(organization)).toEqual([clicked, edited, tagged].toSorted());

    expect((await undo(id, organization, { includeChanged: false })).body.state).toBe('undone');
    const { status, body } = await undo(id, organization, { includeChanged: true });
    expect([status, body.state, body.undo.includeChanged]).toEqual([202, 'undoing', true]);
    await undoAll(id, 2);
    expect(await read(id, organization)).toMatchObject({ state: 'undone', undo: { removed: 5, kept: 0, left: 0 } });
    expect(await live(organization)).toEqual([]);
    expect(await deletedEvents(organization)).toBe(5);
  });

  test('a date of creation in the file does not make a link edited', async () => {
    const organization = await createOrganization(api.db);
    const content = `keyword,url,timestamp\n${uuidv7()},https://example.com/,2019-05-01 10:00:00`;
    const { payload, headers } = writeMultipart([{ filename: 'a.csv', content }]);
    const options = { payload, headers: { ...headers, 'x-api-key': organization.key } };
    const { id } = (await api.call('POST', '/short-link/import', undefined, options)).body;
    for (const _ of ['rows', 'end']) await step(id);
    await undo(id, organization);
    await undoAll(id);
    expect((await read(id, organization)).undo).toMatchObject({ removed: 1, kept: 0 });
  });

  test('an undo that is asked to include changed links while it runs begins once more, and removes each once', async () => {
    const organization = await createOrganization(api.db);
    const { id, links } = await imported(organization, 6);
    expect((await call('PATCH', links[0]!, organization.key, { title: 'New' })).status).toBe(200);
    await undo(id, organization);
    await undoSome(id, 3);
    expect((await undo(id, organization, { includeChanged: true })).body.undo).toMatchObject({
      includeChanged: true,
      removed: 2,
      kept: 0,
      left: 6,
    });
    // A later call without it does not take it back.
    expect((await undo(id, organization)).body.undo.includeChanged).toBe(true);
    await undoAll(id, 3);
    expect((await read(id, organization)).undo).toMatchObject({ removed: 6, kept: 0, left: 0 });
    expect(await deletedEvents(organization)).toBe(6);
  });

  test('a second undo changes nothing, while the first one runs and after it', async () => {
    const organization = await createOrganization(api.db);
    const { id } = await imported(organization, 4);
    const [one, other] = await Promise.all([undo(id, organization), undo(id, organization)]);
    expect(other).toMatchObject({ status: 202, body: one.body });
    await undoSome(id, 2);
    expect((await undo(id, organization)).body.undo).toMatchObject({ removed: 2, left: 2 });
    await Promise.all([undoAll(id, 1), undoAll(id, 1)]);
    const undone = await read(id, organization);
    expect(undone.undo).toMatchObject({ removed: 4, left: 0 });
    expect(await undo(id, organization)).toMatchObject({ status: 202, body: undone });
    expect(await deletedEvents(organization)).toBe(4);
  });

  test('links that somebody has deleted, and links that the import skipped, count nowhere', async () => {
    const organization = await createOrganization(api.db);
    const slugs = [uuidv7(), uuidv7()];
    const first = await begin(organization, slugs);
    for (const _ of ['rows', 'end']) await step(first);
    const second = await begin(organization, [...slugs, uuidv7(), uuidv7()]);
    for (const _ of ['rows', 'end']) await step(second);
    expect(await read(second, organization)).toMatchObject({ imported: 2, skipped: 2, undo: null });
    const { body } = await call('GET', `import/${second}/rows?state=imported`, organization.key);
    await call('DELETE', body.data[0].shortLinkId, organization.key);
    await undo(second, organization);
    await undoAll(second);
    expect((await read(second, organization)).undo).toMatchObject({ removed: 1, kept: 0, left: 0 });
    expect(await live(organization)).toHaveLength(2);
  });

  test('a cancelled import can be undone, and is listed by its new state', async () => {
    const organization = await createOrganization(api.db);
    const id = await begin(organization, [uuidv7(), uuidv7()]);
    await call('POST', `import/${id}/cancel`, organization.key);
    expect((await undo(id, organization)).body).toMatchObject({ state: 'undoing', notMade: 2, undo: { left: 0 } });
    const list = await call('GET', 'import/list?states=undoing,undone', organization.key);
    expect(list.body).toMatchObject({ count: 1, data: [{ id, state: 'undoing' }] });
    await undoAll(id);
    expect(await read(id, organization)).toMatchObject({ state: 'undone', undo: { removed: 0 } });
  });

  test('housekeeping leaves an import alone while it is being undone', async () => {
    const organization = await createOrganization(api.db);
    const { id } = await imported(organization, 2);
    await undo(id, organization);
    await api.db.query(`update imports set finished_at = now() - interval '40 days' where id = $1`, [id]);
    const forget = () => emOf(api.db).getRepository(Import).forgetOld(100, new Date());
    expect(await forget()).toBe(false);
    await undoAll(id);
    expect(await live(organization)).toEqual([]);
    while (await forget()) continue;
    expect((await call('GET', `import/${id}`, organization.key)).status).toBe(404);
  });
});

describe('an undo beside another import', () => {
  test('an import that is sent during an undo begins after it, and makes the links that went', async () => {
    const organization = await createOrganization(api.db);
    const slugs = [uuidv7(), uuidv7()];
    const first = await begin(organization, slugs);
    for (const _ of ['rows', 'end']) await step(first);
    await undo(first, organization);
    const second = await begin(organization, slugs);
    expect(await step(second)).toEqual({
      state: 'pending',
      total: 2,
      imported: 0,
      skipped: 0,
      failed: 0,
      isWaiting: true,
    });
    await undoAll(first);
    expect(await step(second)).toMatchObject({ state: 'running', imported: 2, skipped: 0 });
  });

  test('an undo that is asked for while another import runs begins after it', async () => {
    const organization = await createOrganization(api.db);
    const slugs = [uuidv7(), uuidv7()];
    const first = await begin(organization, slugs);
    for (const _ of ['rows', 'end']) await step(first);
    const second = await begin(organization, [...slugs, uuidv7()]);
    await step(second, 1);
    expect((await undo(first, organization)).body.state).toBe('undoing');
    expect(await undoSome(first)).toEqual({
      state: 'undoing',
      imported: 2,
      removed: 0,
      kept: 0,
      left: 2,
      isWaiting: true,
    });
    expect(await step(second)).toMatchObject({ state: 'running', imported: 1, skipped: 2 });
    await step(second);
    expect(await undoSome(first)).toEqual({ state: 'undoing', imported: 2, removed: 2, kept: 0, left: 0 });
  });
});

describe('POST /short-link/import/{id}/undo 400, 404, 409', () => {
  test('refuses an import that waits or runs, and changes nothing', async () => {
    const organization = await createOrganization(api.db);
    const id = await begin(organization, [uuidv7()]);
    const { status, body } = await undo(id, organization);
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
    expect((await read(id, organization)).state).toBe('pending');
    await step(id);
    expect((await undo(id, organization)).status).toBe(409);
  });

  test('an import whose rows are about to be forgotten is no longer there', async () => {
    const organization = await createOrganization(api.db);
    const { id } = await imported(organization, 1);
    await api.db.query(`update imports set finished_at = now() - interval '31 days' where id = $1`, [id]);
    expect((await undo(id, organization)).status).toBe(404);
    expect(await live(organization)).toHaveLength(1);
  });
});
