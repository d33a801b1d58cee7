// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createFolder, createOrganization } from '#test/support/factories.ts';
import { insertRow } from '#test/support/rows.ts';

const api = useTestApi();

const link = (value = 'https://example.com/a') => ({ type: 'link', value });

describe('GET /short-link/list', () => {
  it('shows the newest first, in pages, with their count', async () => {
    const { key } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1)
      ids.unshift((await api.call('POST', '/short-link', { destination: link() }, { headers })).body.id);
    const list = async (query: string) =>
      (await api.call('GET', `/short-link/list${query}`, undefined, { headers })).body;
    const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
    const first = await list('');
    expect(first.count).toBe(12);
    expect(idsOf(first)).toEqual(ids.slice(0, 10));
    expect(idsOf(await list('?page=1'))).toEqual(ids.slice(10));
    expect(idsOf(await list('?limit=5&page=1'))).toEqual(ids.slice(5, 10));
    expect(await list('?limit=0')).toEqual({ count: 12, data: [], nextCursor: null });
    expect((await list('?withQrCodeTemplate=true')).data[0].qrCode).toBeNull();
  });

  it('continues by its cursor after the last link of a page, whatever is made and deleted meanwhile', async () => {
    const { key } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    const make = async () => (await api.call('POST', '/short-link', { destination: link() }, { headers })).body.id;
    const made: string[] = [];
    for (let index = 0; index < 7; index += 1) made.unshift(await make());
    const seen: string[] = [];
    let query = '?limit=3';
    for (let pages = 1; ; pages += 1) {
      const { body } = await api.call('GET', `/short-link/list${query}`, undefined, { headers });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      expect(body.count).toBe(7 + (pages - 1));
      if (body.nextCursor === null) break;
      query = `?limit=3&cursor=${body.nextCursor}`;
      await make();
      if (pages === 1) {
        await api.call('DELETE', `/short-link/${seen.at(-1)}`, undefined, { headers });
        await make();
      }
    }
    expect(seen).toEqual(made);
  });

  it('searches with a cursor', async () => {
    const { key } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    for (const title of ['Spring 1', 'Autumn', 'Spring 2', 'Spring 3'])
      await api.call('POST', '/short-link', { destination: link(), title }, { headers });
    const list = async (query: string) =>
      (await api.call('GET', `/short-link/list?search=spring&limit=2${query}`, undefined, { headers })).body;
    const first = await list('');
    const second = await list(`&cursor=${first.nextCursor}`);
    const titles = [...first.data, ...second.data].map(({ title }) => title);
    expect([titles, second.count, second.nextCursor]).toEqual([['Spring 3', 'Spring 2', 'Spring 1'], 3, null]);
  });

  it.each([
    ['cursor=x', 'cursor'],
    ['cursor=', 'cursor'],
    [`cursor=${'a'.repeat(201)}`, 'cursor'],
    [`cursor=${Buffer.from(`1 ${uuidv7()}`).toString('base64url')}&page=1`, 'page'],
  ])('answers 400 to %s', async (query, path) => {
    const { status, body } = await api.call('GET', `/short-link/list?${query}`);
    expect([status, body.code, body.issues[0].path]).toEqual([400, 'VALIDATION_ERROR', path]);
  });

  it('trims a search, and takes an empty one for none', async () => {
    const { key } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    for (const title of ['Spring', 'Autumn'])
      await api.call('POST', '/short-link', { destination: link(), title }, { headers });
    const count = async (search: string) =>
      (await api.call('GET', `/short-link/list?search=${search}`, undefined, { headers })).body.count;
    expect([await count('%20spring%20'), await count('%20%20')]).toEqual([1, 2]);
  });

  it('says that a name may be given only once', async () => {
    for (const query of ['limit=1&limit=2', 'search=a&search=b', 'withQrCodeTemplate=1&withQrCodeTemplate=1']) {
      const { status, body } = await api.call('GET', `/short-link/list?${query}`);
      const path = query.slice(0, query.indexOf('='));
      expect([status, body.issues]).toEqual([400, [{ path, message: 'may be given only once' }]]);
    }
  });

  it('shows the fields of each link as GET /short-link/{id} does', async () => {
    const { key } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    const expiresAt = '2035-01-01T00:00:00.000Z';
    const body = {
      destination: link(),
      title: 'Sale',
      externalId: 'crm-1',
      expiresAt,
      maxClicks: 9,
      password: 'secret',
    };
    const { id } = (await api.call('POST', '/short-link', body, { headers })).body;
    await insertRow(api.db, 'link_counters', { link_id: id, clicks: 3, last_clicked_at: '2026-11-20T10:00:00.123Z' });
    const { body: whole } = await api.call('GET', `/short-link/${id}`, undefined, { headers });
    const { body: list } = await api.call('GET', '/short-link/list', undefined, { headers });
    const { folder, ...item } = list.data[0];
    expect(folder.id).toBe(whole.folderId);
    expect(whole).toMatchObject(item);
    expect(item).toMatchObject({ title: 'Sale', externalId: 'crm-1', expiresAt, maxClicks: 9, hasPassword: true });
    expect(item).toMatchObject({ currentClicks: 3, lastClickedAt: '2026-11-20T10:00:00.123Z' });
  });

  it('filters by domain, folder and tag: OR within a kind, AND across', async () => {
    const organization = await createOrganization(api.db);
    const headers = { 'x-api-key': organization.key };
    const domain = await createDomain(api.db, organization.id);
    const folderId = await createFolder(api.db, organization.id);
    const make = async (body: object) =>
      (await api.call('POST', '/short-link', { destination: link(), ...body }, { headers })).body;
    const one = await make({ domainId: domain.id, tags: ['x'] });
    const two = await make({ folderId, tags: ['y'] });
    const three = await make({ domainId: domain.id, folderId });
    const find = async (query: string) => {
      const { status, body } = await api.call('GET', `/short-link/list?${query}`, undefined, { headers });
      expect(status).toBe(200);
      return body.data.map(({ id }: { id: string }) => id).toSorted();
    };
    const sorted = (...links: { id: string }[]) => links.map(({ id }) => id).toSorted();
    const [x, y] = [one.tags[0].id, two.tags[0].id];
    expect(await find(`domainIds=${domain.id}`)).toEqual(sorted(one, three));
    expect(await find(`folderIds[]=${folderId}`)).toEqual(sorted(two, three));
    expect(await find(`tagIds=${x},${y}`)).toEqual(sorted(one, two));
    expect(await find(`tagIds=${x}&tagIds=${y}`)).toEqual(sorted(one, two));
    expect(await find(`domainIds=${domain.id}&folderIds=${folderId}`)).toEqual(sorted(three));
    expect(await find(`domainIds=${uuidv7()}`)).toEqual([]);
    expect(await find(`folderIds=${api.organization.folderId}`)).toEqual([]);
  });

  it('searches slug, short URL, destination and title without regard to case, and takes % and _ for themselves', async () => {
    const { key } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    const make = async (body: object) =>
      (await api.call('POST', '/short-link', { destination: link(), ...body }, { headers })).body.id;
    const bySlug = await make({ slug: 'Summer_Sale' });
    const byDestination = await make({ destination: link('https://shop.example/Straße?x=100%25') });
    const byTitle = await make({ title: 'Über\nuns' });
    const find = async (search: string) =>
      (
        await api.call('GET', `/short-link/list?search=${encodeURIComponent(search)}`, undefined, { headers })
      ).body.data.map(({ id }: { id: string }) => id);
    expect(await find('summer_s')).toEqual([bySlug]);
    expect(await find('SHOP.EXAMPLE/STRASSE')).toEqual([byDestination]);
    expect(await find('100%25')).toEqual([byDestination]);
    expect(await find('über')).toEqual([byTitle]);
    expect(await find('uber')).toEqual([]);
    expect(await find('über\nuns')).toEqual([byTitle]);
    expect(await find('sale\nhttp')).not.toContain(bySlug);
    expect(await find('http://localhost:3001/Summer_Sale')).toEqual([bySlug]);
    expect(await find('%')).toEqual([byDestination]);
  });

  it('searches a short URL in the spelling that browsers show, beside texts of this spelling', async () => {
    const { key, id: organizationId } = await createOrganization(api.db);
    const headers = { 'x-api-key': key };
    const { id: domainId } = await createDomain(api.db, organizationId, { domain: 'xn--mller-kva.searched.example' });
    const make = async (body: object) =>
      (await api.call('POST', '/short-link', { destination: link(), ...body }, { headers })).body.id;
    const here = await make({ slug: 'Žluť' });
    const there = await make({ slug: 'žluť', domainId, title: 'localhost:3001/Žluť' });
    const find = async (search: string) =>
      (
        await api.call('GET', `/short-link/list?search=${encodeURIComponent(search)}`, undefined, { headers })
      ).body.data.map(({ id }: { id: string }) => id);
    expect(await find('http://localhost:3001/Žluť')).toEqual([here]);
    expect(await find('http://müller.searched.example:3001/žluť')).toEqual([there]);
    expect(await find('müller.searched.example:3001/žlu')).toEqual([there]);
    expect(await find('localhost:3001/Žluť')).toEqual([there, here]);
    expect(await find('//Žluť')).toEqual([]);
  });
});

describe('PUT /short-link/upsert', () => {
  it('200: null means the same as absence', async () => {
    const named = { externalId: 'with nulls', destination: { type: 'link', value: 'https://example.com/' } };
    const settings = { title: 'T', maxClicks: 5, expiresAt: '2100-01-01T00:00:00.000Z', utmSource: 'u', notes: 'n' };
    const made = await api.call('PUT', '/short-link/upsert', { ...named, ...settings, password: 'pw', tags: ['kept'] });
    expect(made.status).toBe(201);
    const nulls = Object.fromEntries(
      [...Object.keys(settings), 'password', 'tags', 'rules'].map((name) => [name, null]),
    );
    const { status, body } = await api.call('PUT', '/short-link/upsert', { ...named, ...nulls });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...settings, hasPassword: true, tags: [{ name: 'kept' }] });
  });

  it('answers 201 for a new link and 200 for one that is there, by externalId', async () => {
    const first = await api.call('PUT', '/short-link/upsert', { externalId: 'up', destination: link(), title: 'kept' });
    expect(first.status).toBe(201);
    const second = await api.call('PUT', '/short-link/upsert', {
      externalId: 'up',
      destination: link('https://example.com/b'),
    });
    expect(second).toMatchObject({
      status: 200,
      body: { id: first.body.id, title: 'kept', destination: { value: 'https://example.com/b' } },
    });
  });

  it('knows a link by domain and slug where there is no externalId', async () => {
    const first = await api.call('PUT', '/short-link/upsert', { slug: 'up-slug', destination: link() });
    const second = await api.call('PUT', '/short-link/upsert', {
      slug: 'up-slug',
      domain: 'localhost',
      destination: link('https://example.com/c'),
    });
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(await api.call('PUT', '/short-link/upsert', { destination: link() })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'slug' }] },
    });
    const wrong = { destination: { type: 'link', value: 'nowhere' } };
    expect((await api.call('PUT', '/short-link/upsert', wrong)).body.issues).toMatchObject([
      { path: 'destination.value' },
      { path: 'slug' },
    ]);
  });
});

describe('bulk', () => {
  it('a bulk create answers each row with its own status, in order', async () => {
    await api.call('POST', '/short-link', { destination: link(), slug: 'bulk-taken' });
    const { status, body } = await api.call('POST', '/short-link/bulk', {
      links: [
        { destination: link(), slug: 'bulk-1' },
        { destination: link('nonsense'), bogus: 1 },
        { destination: link(), slug: 'bulk-taken' },
        { destination: link(), slug: 'bulk-1' },
        { destination: link(), folderId: uuidv7() },
        { destination: link(), tags: ['bulk'] },
      ],
    });
    expect(status).toBe(201);
    expect(body.results.map((row: { status: number }) => row.status)).toEqual([201, 400, 409, 409, 404, 201]);
    expect(body.results[0].data.slug).toBe('bulk-1');
    expect(body.results[1].error).toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'destination.value' }, { path: 'bogus' }],
    });
    expect(body.results[5].data.tags).toMatchObject([{ name: 'bulk' }]);
  });

  it('bulk updates and deletes answer each row with its own status, in order', async () => {
    const made = await api.call('POST', '/short-link/bulk', {
      links: Array.from({ length: 3 }, () => ({ destination: link() })),
    });
    const [one, two, three] = made.body.results.map((row: { data: { id: string } }) => row.data.id);
    const updated = await api.call('PATCH', '/short-link/bulk', {
      links: [
        { id: one, title: 'A' },
        { id: two, slug: 'bulk-new' },
        { id: three, slug: 'bulk-new' },
        { id: uuidv7() },
        { title: 'no id' },
        { id: one, title: 'B' },
      ],
    });
    expect(updated.body.results.map((row: { status: number }) => row.status)).toEqual([200, 200, 409, 404, 400, 200]);
    expect(updated.body.results[0].data.title).toBe('B');
    const other = await createOrganization(api.db);
    const foreign = (
      await api.call('POST', '/short-link', { destination: link() }, { headers: { 'x-api-key': other.key } })
    ).body.id;
    const deleted = await api.call('DELETE', '/short-link/bulk', { ids: [one, 'x', uuidv7(), one, foreign, two] });
    expect(deleted.body.results.map((row: { status: number }) => row.status)).toEqual([200, 400, 404, 404, 403, 200]);
    expect(deleted.body.results[0].data).toEqual({ rowCount: 1 });
    expect((await api.call('GET', `/short-link/${three}`)).status).toBe(200);
  });
});
