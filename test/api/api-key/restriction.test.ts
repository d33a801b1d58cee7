// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { testSite, useTestApi } from '#test/support/api.ts';
import { callOf, createScene, link, type Method, type Scene, secret } from '#test/support/restricted-key.ts';

const api = useTestApi();
const call = callOf(api);
let scene: Scene;
beforeAll(async () => {
  scene = await createScene(api);
});

describe('what a restricted key reads', () => {
  it('no list, export, statistic or lookup shows anything beyond its reach', async () => {
    const { domainId, otherDomainId, folderId, otherFolderId, inside, outside } = scene;
    const filters = [
      '',
      `search=${secret}`,
      'search=e',
      `ids=${[inside, ...outside].join(',')}`,
      `domainIds=${otherDomainId}`,
      `domainIds=${domainId},${otherDomainId}`,
      `folderIds=${otherFolderId}`,
      `folderIds=${folderId},${otherFolderId}`,
      `tagNames=${secret}-folder`,
      `externalIds=${secret}-domain`,
      'destinationHosts=example.com',
      'states=active',
      'isArchived=false',
      'createdSince=2020-01-01T00:00:00Z',
    ];
    const shortUrl = encodeURIComponent(testSite.originUrl(testSite.shownDomain, `${secret}-${folderId}`));
    const urls = [
      ...filters.flatMap((filter) => [
        `/short-link/list?${filter}`,
        `/short-link/list?sortBy=currentClicks&${filter}`,
        `/short-link/count?${filter}`,
        ...(filter.startsWith('states') ? [] : [`/short-link/counts?${filter}`]),
        `/short-link/export?${filter}`,
      ]),
      '/folder/list',
      `/folder/list?search=${secret}`,
      '/domain/list',
      `/domain/list?search=${secret}`,
      '/domain/list?withQrCodeTemplate=true',
      '/domain/all',
      '/organization',
      ...['city', 'shortLinks', 'destination', 'uniqueVisitors'].map((by) => `/stats/overview?groupBy=${by}`),
      `/stats/overview?groupBy=city&shortLinkIds=${outside.join(',')}`,
      '/stats/clicks-over-time',
      '/stats/report?groupBys=city,shortLinks,destination,uniqueVisitors&compare=previous',
      `/stats/report?groupBys=city&folderIds=${otherFolderId}`,
      '/stats/clicks',
      `/stats/clicks?city=${secret}`,
      '/stats/export',
      `/short-link/lookup?externalId=${secret}-folder`,
      `/short-link/lookup?domain=${encodeURIComponent(testSite.shownDomain)}&slug=${secret}-${folderId}`,
      `/short-link/lookup?url=${encodeURIComponent(`https://example.com/${secret}-domain`)}`,
      `/short-link/lookup?url=${shortUrl}`,
    ];
    const told: string[] = [];
    for (const url of urls) {
      const { status, body } = await call(scene.key, 'GET', url);
      expect([url, status]).toEqual([url, url.includes('/lookup?') ? 404 : 200]);
      const text = JSON.stringify(body);
      const words = [secret, otherFolderId, otherDomainId, ...outside];
      if (words.some((word) => text.includes(word))) told.push(url);
      if (url.startsWith('/short-link/count?')) expect([url, body.count <= 1]).toEqual([url, true]);
      if (url.startsWith('/stats/clicks-over-time')) expect(body.totalClicks).toBe(1);
    }
    expect(told).toEqual([]);
  });

  it('its own links, folder, domain and clicks are all there', async () => {
    const { folderId, domainId, inside, key } = scene;
    const read = async (url: string) => (await call(key, 'GET', url)).body;
    expect(await read('/short-link/list')).toMatchObject({ count: 1, data: [{ id: inside }] });
    expect(await read('/short-link/count')).toEqual({ count: 1 });
    expect((await read('/short-link/counts')).data).toContainEqual({ state: 'active', count: 1 });
    expect(await read('/short-link/lookup?externalId=inside')).toMatchObject({ id: inside });
    expect(await read(`/short-link/lookup?url=https://example.com/inside`)).toMatchObject({ id: inside });
    expect(await read('/folder/list')).toMatchObject({ count: 1, data: [{ id: folderId }] });
    expect(await read(`/folder/${folderId}`)).toMatchObject({ id: folderId });
    expect(await read('/domain/list')).toMatchObject({ count: 1, data: [{ id: domainId }] });
    expect(await read('/domain/all')).toMatchObject([{ id: domainId }]);
    expect(await read(`/domain/${domainId}`)).toMatchObject({ id: domainId });
    const usage = { shortLinks: 1, domains: 1, tags: 0, folders: 1, webhooks: 0, fileBytes: 0 };
    expect(await read('/organization')).toMatchObject({ id: scene.organizationId, plan: 'premium', usage });
    expect(await read('/stats/overview?groupBy=city')).toMatchObject({ totalClicks: 1 });
    expect((await read(`/short-link/${inside}/history`)).data).toHaveLength(1);
    expect((await call(key, 'GET', `/short-link/${inside}/qr-code`)).status).toBe(200);
    expect(String(await read('/short-link/export')).match(/inside/g)!.length).toBeGreaterThan(0);
  });

  it('a newer link beyond its reach hides none of its own from a lookup by the destination', async () => {
    const { owner, key, inside } = await createScene(api);
    expect((await call(owner, 'POST', '/short-link', { destination: link('inside') })).status).toBe(201);
    const url = '/short-link/lookup?url=https://example.com/inside';
    expect((await call(owner, 'GET', url)).body.id).not.toBe(inside);
    expect((await call(key, 'GET', url)).body.id).toBe(inside);
  });

  it('counts of links in folders and domains are refused: they count links beyond its reach', async () => {
    for (const path of ['/folder/list', '/domain/list'])
      expect(await call(scene.key, 'GET', `${path}?withCounts=true`)).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      });
  });

  it('a link that moves out of its reach is gone, with its clicks, and back with them when it returns', async () => {
    const { owner, key, inside, folderId, otherFolderId } = await createScene(api);
    const clicks = async () => (await call(key, 'GET', '/stats/clicks-over-time')).body.totalClicks as number;
    expect([(await call(key, 'GET', `/short-link/${inside}`)).status, await clicks()]).toEqual([200, 1]);
    await call(owner, 'PATCH', `/short-link/${inside}`, { folderId: otherFolderId });
    expect([(await call(key, 'GET', `/short-link/${inside}`)).status, await clicks()]).toEqual([404, 0]);
    await call(owner, 'PATCH', `/short-link/${inside}`, { folderId });
    expect([(await call(key, 'GET', `/short-link/${inside}`)).status, await clicks()]).toEqual([200, 1]);
  });

  it('links of its folder move out of its reach when the folder is deleted', async () => {
    const { owner, key, inside, folderId } = await createScene(api);
    await call(owner, 'DELETE', `/folder/${folderId}`);
    expect((await call(key, 'GET', '/short-link/list')).body).toMatchObject({ count: 0, data: [] });
    for (const method of ['GET', 'DELETE'] as const)
      expect((await call(key, method, `/short-link/${inside}`)).status).toBe(404);
    expect((await call(key, 'GET', '/stats/clicks-over-time')).body.totalClicks).toBe(0);
  });

  it('links of a deleted folder are in the reach of the default folder, with their clicks', async () => {
    const { owner, folderId } = await createScene(api);
    const folders = (await call(owner, 'GET', '/folder/list')).body.data as { id: string; isDefault: boolean }[];
    const permissions = { shortLinks: ['read'], stats: ['read'] };
    const ofDefault = {
      name: 'Default',
      permissions,
      folderIds: folders.flatMap((one) => (one.isDefault ? one.id : [])),
    };
    const made = await call(owner, 'POST', '/api-key', { type: 'integration', ...ofDefault });
    const found = async () => [
      (await call({ 'x-api-key': made.body.key }, 'GET', '/short-link/count')).body.count,
      (await call({ 'x-api-key': made.body.key }, 'GET', '/stats/clicks-over-time')).body.totalClicks,
    ];
    expect(await found()).toEqual([1, 1]);
    await call(owner, 'DELETE', `/folder/${folderId}`);
    expect(await found()).toEqual([3, 3]);
  });
});

describe('what a restricted key changes', () => {
  const gone = { status: 404, body: { code: 'NOT_FOUND' } };
  const elsewhere = (noun: 'folder' | 'domain') => ({
    status: 403,
    body: { code: 'ACTION_NOT_ALLOWED', message: expect.stringContaining(`${noun}Id`) },
  });

  it('a link beyond its reach does not exist for it, and stays as it is', async () => {
    const { owner, key, outside } = scene;
    for (const id of outside) {
      const before = await call(owner, 'GET', `/short-link/${id}`);
      const history = await call(owner, 'GET', `/short-link/${id}/history`);
      const changeId = history.body.data[0].id;
      const attempts: [Method, string, object?][] = [
        ['GET', ''],
        ['PATCH', '', { title: 'Changed', isArchived: true }],
        ['DELETE', ''],
        ['GET', '/qr-code'],
        ['GET', '/history'],
        ['POST', `/history/${changeId}/undo`, {}],
        ['POST', '/duplicate', {}],
        ['POST', '/move', { domain: 'localhost' }],
        ['POST', '/archive', {}],
        ['POST', '/restore', {}],
      ];
      for (const [method, path, body] of attempts)
        expect([method, path, await call(key, method, `/short-link/${id}${path}`, body)]).toMatchObject([
          method,
          path,
          gone,
        ]);
      const bulk = [
        await call(key, 'PATCH', '/short-link/bulk', { ids: [id, id], change: { title: 'Changed' } }),
        await call(key, 'PATCH', '/short-link/bulk', { links: [{ id, title: 'Changed' }] }),
        await call(key, 'DELETE', '/short-link/bulk', { ids: [id] }),
      ];
      for (const { body } of bulk)
        for (const result of body.results) expect(result).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
      expect((await call(key, 'POST', '/short-link/check', { id, link: { title: 'x' } })).body).toMatchObject({
        isAccepted: false,
        code: 'NOT_FOUND',
      });
      const { externalId } = before.body;
      // A name that it cannot have, as for a create.
      expect(await call(key, 'PUT', '/short-link/upsert', { externalId, destination: link('x') })).toMatchObject({
        status: 409,
        body: { code: 'ALREADY_EXIST', reason: 'externalId' },
      });
      expect((await call(owner, 'GET', `/short-link/${id}`)).body).toEqual(before.body);
      expect((await call(owner, 'GET', `/short-link/${id}/history`)).body).toEqual(history.body);
    }
  });

  it('folders and domains beyond its reach do not exist for it', async () => {
    const { key, otherFolderId, otherDomainId } = scene;
    for (const path of [
      `/folder/${otherFolderId}`,
      `/domain/${otherDomainId}`,
      `/domain/${otherDomainId}/qr-code-data`,
    ])
      expect(await call(key, 'GET', path)).toMatchObject(gone);
  });

  it('creates links in its folders and on its domains, and nowhere else', async () => {
    const { key, folderId, domainId, otherFolderId, otherDomainId } = scene;
    const draft = (place: object) => ({ destination: link('new'), ...place });
    expect(await call(key, 'POST', '/short-link', draft({ folderId, domainId }))).toMatchObject({ status: 201 });
    const places = [
      [{ domainId }, 'folder'],
      [{ folderId }, 'domain'],
      [{ folderId: otherFolderId, domainId }, 'folder'],
      [{ folderId, domainId: otherDomainId }, 'domain'],
      [{ folderId, domain: testSite.shownDomain }, 'domain'],
    ] as const;
    for (const [place, noun] of places) {
      expect(await call(key, 'POST', '/short-link', draft(place))).toMatchObject(elsewhere(noun));
      const upsert = await call(key, 'PUT', '/short-link/upsert', { ...draft(place), slug: uuidv7() });
      expect(upsert).toMatchObject(elsewhere(noun));
      const bulk = await call(key, 'POST', '/short-link/bulk', {
        links: [draft(place), draft({ folderId, domainId })],
      });
      expect(bulk.body.results).toMatchObject([{ status: 403, error: elsewhere(noun).body }, { status: 201 }]);
      const check = await call(key, 'POST', '/short-link/check', { link: draft(place) });
      expect(check.body).toMatchObject({ isAccepted: false, code: 'ACTION_NOT_ALLOWED' });
    }
    const slug = uuidv7();
    const upsert = { ...draft({ folderId, domainId }), slug };
    expect((await call(key, 'PUT', '/short-link/upsert', upsert)).status).toBe(201);
    expect((await call(key, 'PUT', '/short-link/upsert', { ...upsert, title: 'Again' })).status).toBe(200);
    // The folder of a link that is there need not be named.
    expect((await call(key, 'PUT', '/short-link/upsert', { ...draft({ domainId }), slug })).status).toBe(200);
  });

  it('an upsert by the name of a link in another folder changes nothing', async () => {
    const { owner, key, folderId, domainId, outside } = scene;
    const before = await call(owner, 'GET', `/short-link/${outside[0]}`);
    const body = { destination: link('taken'), slug: `${secret}-folder`, folderId, domainId };
    expect(await call(key, 'PUT', '/short-link/upsert', body)).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXIST', reason: 'slug' },
    });
    expect((await call(owner, 'GET', `/short-link/${outside[0]}`)).body).toEqual(before.body);
  });

  it('an upsert on a domain beyond its reach does not tell which slugs are there', async () => {
    const { key, folderId, otherDomainId } = scene;
    for (const slug of [`${secret}-domain`, uuidv7()]) {
      const body = { destination: link('x'), slug, folderId, domainId: otherDomainId };
      expect(await call(key, 'PUT', '/short-link/upsert', body)).toMatchObject(elsewhere('domain'));
    }
  });

  it('a change of a link beyond its reach does not even report that the link has ended', async () => {
    const { key, outside } = await createScene(api);
    const [id] = outside;
    await api.db.query(`update short_links set expires_at = '2020-01-01' where id = $1`, [id]);
    const change = { expiresAt: '2099-01-01T00:00:00Z', maxClicks: 5 };
    expect(await call(key, 'PATCH', `/short-link/${id}`, change)).toMatchObject(gone);
    const bulk = await call(key, 'PATCH', '/short-link/bulk', { ids: [id], change });
    expect(bulk.body.results).toMatchObject([{ status: 404 }]);
    const { rows } = await api.db.query<{ reported: Date | null }>(
      'select reported_expiry as reported from short_links where id = $1',
      [id],
    );
    expect(rows).toEqual([{ reported: null }]);
  });

  it('moves no link out of its reach, also not by an undo', async () => {
    const { owner, key, folderId, domainId, inside, otherFolderId, otherDomainId } = await createScene(api);
    const other = await call(owner, 'GET', `/domain/${otherDomainId}`);
    const path = `/short-link/${inside}`;
    expect(await call(key, 'PATCH', path, { folderId: otherFolderId })).toMatchObject(elsewhere('folder'));
    expect(await call(key, 'PATCH', path, { domainId: otherDomainId })).toMatchObject(elsewhere('domain'));
    expect(await call(key, 'POST', `${path}/move`, { domain: other.body.domain })).toMatchObject(elsewhere('domain'));
    await call(owner, 'PATCH', path, { folderId: otherFolderId });
    await call(owner, 'PATCH', path, { folderId });
    const { body } = await call(key, 'GET', `${path}/history`);
    expect(await call(key, 'POST', `${path}/history/${body.data[0].id}/undo`, {})).toMatchObject(elsewhere('folder'));
    expect((await call(owner, 'GET', path)).body).toMatchObject({ folderId, domain: { id: domainId } });
  });

  it('changes, duplicates, archives and deletes its own links', async () => {
    const { key, folderId, domainId, inside } = await createScene(api);
    const path = `/short-link/${inside}`;
    expect(await call(key, 'PATCH', path, { title: 'New', expiresAt: '2099-01-01T00:00:00Z' })).toMatchObject({
      status: 200,
      body: { title: 'New' },
    });
    expect(await call(key, 'POST', `${path}/duplicate`, {})).toMatchObject({
      status: 201,
      body: { folderId, domain: { id: domainId } },
    });
    expect((await call(key, 'POST', `${path}/archive`, {})).status).toBe(200);
    expect((await call(key, 'POST', `${path}/restore`, {})).status).toBe(200);
    expect(
      (await call(key, 'PATCH', '/short-link/bulk', { ids: [inside], change: { notes: 'x' } })).body,
    ).toMatchObject({
      results: [{ status: 200 }],
    });
    expect((await call(key, 'DELETE', path)).status).toBe(200);
  });
});
