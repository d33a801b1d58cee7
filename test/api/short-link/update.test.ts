import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { takeClicks } from '#db/links/visits/click-caps.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createFolder, createOrganization } from '#test/support/factories.ts';
import { insertRow } from '#test/support/rows.ts';

const api = useTestApi();

const link = (value = 'https://example.com/a') => ({ type: 'link', value });
async function create(body: object = {}): Promise<Answer['body']> {
  const answer = await api.call('POST', '/short-link', { destination: link(), ...body });
  expect(answer.status).toBe(201);
  return answer.body;
}
const patch = (id: string, body: object, options?: object) => api.call('PATCH', `/short-link/${id}`, body, options);

describe('PATCH /short-link/{id} answers 200', () => {
  it('changes what is sent and leaves the rest', async () => {
    const before = await create({
      title: 'Old',
      tags: ['a'],
      utmSource: 'x',
      rules: [{ priority: 0, languages: ['de'], destination: link() }],
    });
    const { status, body } = await patch(before.id, { title: 'New' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, title: 'New', updatedAt: body.updatedAt });
    expect(body.updatedAt > before.updatedAt).toBe(true);
  });

  it('takes back a link that has expired since', async () => {
    const { id } = await create({ expiresAt: '2031-01-01T00:00:00.000Z' });
    await api.db.query(`update short_links set expires_at = '2020-01-01' where id = $1`, [id]);
    const { body } = await api.call('GET', `/short-link/${id}`);
    expect((await patch(id, { ...body, title: 'Over' })).status).toBe(200);
    expect((await patch(id, { expiresAt: '2020-01-02T00:00:00Z' })).status).toBe(400);
  });

  it('clears with null what can be cleared', async () => {
    const { id } = await create({
      title: 'T',
      externalId: uuidv7(),
      expiresAt: '2031-01-01T00:00:00Z',
      expiredUrl: 'https://example.org',
      maxClicks: 3,
      password: 'x',
      utmSource: 'a',
      utmMedium: 'b',
      utmCampaign: 'c',
      utmTerm: 'd',
      utmContent: 'e',
      metaTags: { title: 'M' },
      qrCode: { options: {} },
      rules: [{ priority: 0, languages: ['de'], destination: link() }],
    });
    const cleared = {
      title: null,
      externalId: null,
      expiresAt: null,
      expiredUrl: null,
      maxClicks: null,
      utmSource: null,
      utmMedium: null,
      utmCampaign: null,
      utmTerm: null,
      utmContent: null,
      qrCode: null,
    };
    const { body } = await patch(id, { ...cleared, password: null, metaTags: null, rules: null, tags: [] });
    expect(body).toMatchObject({
      ...cleared,
      hasPassword: false,
      qrCodeId: null,
      rules: [],
      metaTags: { title: null },
    });
  });

  it('replaces nested objects whole, and keeps the ids that survive', async () => {
    const before = await create({
      destination: { ...link(), enableDeepLinking: true, iosDeepLink: 'app://x' },
      rules: [{ priority: 0, languages: ['de'], destination: link('https://example.com/1') }],
      qrCode: { options: { width: 300, margin: 2 } },
      metaTags: { title: 'T', description: 'D' },
      tags: ['one', 'two'],
    });
    const [rule] = before.rules;
    const { body } = await patch(before.id, {
      destination: link('https://example.com/new'),
      rules: [
        { priority: 0, osTypes: ['ios'], destination: link('https://example.com/2') },
        { id: rule.id, priority: 5, languages: ['fr'], destination: link('https://example.com/3') },
      ],
      qrCode: { options: { width: 400 } },
      metaTags: { title: 'N' },
      tags: ['two', { id: 'x', name: 'three', color: 'y' }],
    });
    expect(body.destination).toMatchObject({
      value: 'https://example.com/new',
      enableDeepLinking: false,
      iosDeepLink: null,
    });
    expect(body.destinationId).toBe(before.destinationId);
    expect(body.qrCode.options).toEqual({ width: 400 });
    expect(body.qrCodeId).toBe(before.qrCodeId);
    expect(body.metaTags).toMatchObject({ title: 'N', description: null });
    expect(body.rules[1]).toMatchObject({ id: rule.id, languages: ['fr'] });
    expect(body.rules[0].id).not.toBe(rule.id);
    expect(body.tags.map((tag: { name: string }) => tag.name)).toEqual(['two', 'three']);
  });

  it('counts the clicks that a link has had when it is given a cap', async () => {
    const { id } = await create();
    await insertRow(api.db, 'link_counters', { link_id: id, clicks: 7 });
    await patch(id, { maxClicks: 10 });
    expect(await takeClicks(api.db, id, 5)).toEqual({ granted: 3, left: 0 });
    await patch(id, { maxClicks: null });
    await patch(id, { maxClicks: 11 });
    expect(await takeClicks(api.db, id, 5)).toEqual({ granted: 1, left: 0 });
  });

  it('emits link.updated, asks for a scan of the new destination and tells the edge of both places', async () => {
    const before = await create({ slug: 'retold' });
    const heard: string[] = [];
    const client = await api.db.pool.connect();
    client.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await client.query('listen waymark_links');
    const { body } = await patch(before.id, { slug: 'told-anew', destination: link('https://example.com/scan-again') });
    await client.query('select 1');
    client.release(true);
    expect(heard.map((payload) => JSON.parse(payload))).toEqual([
      { domainId: before.domainId, slugs: ['retold', 'told-anew'] },
    ]);
    const events = await api.db.query<{ body: string }>(
      `select body from events where link_id = $1 and type = 'link.updated'`,
      [before.id],
    );
    expect(JSON.parse(events.rows[0]!.body).data.link).toEqual({
      id: before.id,
      slug: 'told-anew',
      shortUrl: body.originUrl,
      destination: link('https://example.com/scan-again'),
      updatedAt: body.updatedAt,
    });
    expect((await api.db.query(`select 1 from outbox where subject_id = $1`, [before.destinationId])).rowCount).toBe(1);
  });
});

describe('PATCH /short-link/{id} refuses', () => {
  it('all that is wrong with where it leads, what it shows and how long it lives', async () => {
    const { id, slug } = await create();
    const rules = [
      { priority: 1, languages: ['de'], destination: link(`http://localhost:3001/${slug}`) },
      { priority: 0, languages: ['de'], destination: link() },
    ];
    const { body } = await patch(id, { rules, metaTags: { imageId: uuidv7() }, expiresAt: '2020-01-01T00:00:00Z' });
    expect(body.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'expiresAt',
      'metaTags.imageId',
      'rules.0.destination.value',
    ]);
  });

  it('a loop that the new slug closes: 400', async () => {
    const { id } = await create({ destination: link('http://localhost:3001/closing') });
    expect(await patch(id, { slug: 'closing' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'destination.value' }] },
    });
  });

  it("another organization's folder: 403, an unknown one: 404", async () => {
    const { id } = await create();
    const other = await createOrganization(api.db);
    expect((await patch(id, { folderId: other.folderId })).status).toBe(403);
    expect((await patch(id, { folderId: uuidv7() })).status).toBe(404);
    const folderId = await createFolder(api.db, api.organization.id);
    expect((await patch(id, { folderId })).body.folderId).toBe(folderId);
  });

  it('a slug and an externalId in use: 409, and changes nothing', async () => {
    await create({ slug: 'mine', externalId: 'ext-mine' });
    const { id } = await create({ title: 'same' });
    expect(await patch(id, { slug: 'mine', title: 'other' })).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXIST' },
    });
    expect((await patch(id, { externalId: 'ext-mine' })).status).toBe(409);
    expect((await api.call('GET', `/short-link/${id}`)).body.title).toBe('same');
  });
});

describe('DELETE /short-link/{id}', () => {
  it('answers 200 once, then 404; frees the name, tells the edge, emits the event', async () => {
    const { id, slug } = await create({ slug: 'gone', externalId: 'gone' });
    expect(await api.call('DELETE', `/short-link/${id}`)).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect((await api.call('DELETE', `/short-link/${id}`)).status).toBe(404);
    expect((await api.call('GET', `/short-link/${id}`)).status).toBe(404);
    await create({ slug, externalId: 'gone' });
    const { rows } = await api.db.query<{ body: string }>(
      `select body from events where link_id = $1 and type = 'link.deleted'`,
      [id],
    );
    expect(JSON.parse(rows[0]!.body).data).toEqual({ link: { id, slug, deletedAt: expect.stringMatching(/Z$/) } });
  });
});
