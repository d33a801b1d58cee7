import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { forgetOldActivities } from '#db/audit/activity-list.ts';
import { useTestApi } from '#test/support/api.ts';
import { allPermissions, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';
import { writeMultipart } from '#test/support/upload.ts';

const api = useTestApi();
const destination = { type: 'link', value: 'https://example.com/activity' };

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });

/** A call that has to succeed. @returns its body. */
async function make(organization: TestOrganization, method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) {
  const answer = await api.call(method, path, body, as(organization));
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

async function list(organization: TestOrganization, query = '') {
  const answer = await api.call('GET', `/activity${query}`, undefined, as(organization));
  expect(answer.status).toBe(200);
  return answer.body.data;
}

const short = (rows: { action: string; subject: { name: string | null }; count: number }[]) =>
  rows.map(({ action, subject, count }) => [action, subject.name, count]);

describe('GET /activity', () => {
  it('lists the create, each change and the delete of a link, most recent first, with caller and fields', async () => {
    const organization = await createOrganization(api.db);
    const { id } = await make(organization, 'POST', '/short-link', { destination, slug: 'told' });
    await make(organization, 'PATCH', `/short-link/${id}`, { title: 'A title', notes: 'A note' });
    await make(organization, 'DELETE', `/short-link/${id}`);
    const rows = await list(organization, `?subject=${id}`);
    expect(short(rows)).toEqual([
      ['shortLink.deleted', 'told', 1],
      ['shortLink.updated', 'told', 1],
      ['shortLink.created', 'told', 1],
    ]);
    expect(rows[1]).toEqual({
      id: expect.any(String),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      action: 'shortLink.updated',
      subject: { type: 'shortLink', id, name: 'told' },
      count: 1,
      by: {
        type: 'key',
        userId: expect.any(String),
        keyId: expect.any(String),
        name: expect.any(String),
        client: null,
      },
      details: { fields: expect.arrayContaining(['title', 'notes']) },
    });
  });

  it('a change that changes nothing, and a call that fails, add no row', async () => {
    const organization = await createOrganization(api.db);
    const { id } = await make(organization, 'POST', '/short-link', { destination, slug: 'same', title: 'Same' });
    await make(organization, 'PATCH', `/short-link/${id}`, { title: 'Same' });
    expect((await api.call('POST', '/short-link', { destination, slug: 'same' }, as(organization))).status).toBe(409);
    expect((await api.call('POST', '/short-link/check', { link: { destination } }, as(organization))).status).toBe(200);
    expect(short(await list(organization))).toEqual([['shortLink.created', 'same', 1]]);
  });

  it('a change of a thing names the fields that got another value, though the call sends all of them', async () => {
    const organization = await createOrganization(api.db);
    const webhook = { url: 'https://hooks.example.com/fields', name: 'CRM', events: ['link.created', 'link.deleted'] };
    const changes = [
      ['webhook', webhook, { ...webhook, scope: null, maxPerSecond: null, headers: {}, name: 'Shop' }, ['name']],
      ['domain', { domain: 'fields.example.com' }, { isActive: false, isPrimary: true }, ['isActive']],
      ['folder', { name: 'Fields', color: '#112233' }, { name: 'Fields', color: '#332211' }, ['color']],
      ['tag', { name: 'fields', color: '#112233' }, { name: 'Fields', color: '#112233' }, ['name']],
    ] as const;
    for (const [thing, body, patch, fields] of changes) {
      const { id } = await make(organization, 'POST', `/${thing}`, body);
      await make(organization, 'PATCH', `/${thing}/${id}`, patch);
      await make(organization, 'PATCH', `/${thing}/${id}`, patch);
      const rows = await list(organization, `?subject=${id}`);
      expect(
        rows.map((row: { action: string; details: { fields?: string[] } | null }) => [row.action, row.details?.fields]),
      ).toEqual([
        [`${thing}.updated`, fields],
        [`${thing}.created`, undefined],
      ]);
    }
  });

  it('a change tells which of its fields it turned on, and which off', async () => {
    const organization = await createOrganization(api.db);
    const [one, other] = await Promise.all(
      [true, false].map((isActive) => make(organization, 'POST', '/short-link', { destination, isActive })),
    );
    const updates = [
      { id: one.id, isActive: false, title: 'Off' },
      { id: other.id, isActive: true, cloaking: true },
    ];
    await make(organization, 'PATCH', `/short-link/${one.id}`, { isArchived: true, cloaking: false });
    await make(organization, 'PATCH', `/short-link/${one.id}`, { isArchived: false, password: 'secret' });
    for (const { id, ...change } of updates) await make(organization, 'PATCH', `/short-link/${id}`, change);
    const rows = await list(organization, '?actions=shortLink.updated');
    expect(rows.map(({ details }: { details: object }) => details)).toEqual([
      {
        fields: expect.arrayContaining(['isActive', 'cloaking']),
        on: expect.arrayContaining(['isActive', 'cloaking']),
      },
      { fields: expect.arrayContaining(['isActive', 'title']), off: ['isActive'] },
      { fields: expect.arrayContaining(['isArchived', 'hasPassword']), on: ['hasPassword'], off: ['isArchived'] },
      { fields: ['isArchived'], on: ['isArchived'] },
    ]);
  });

  it('each bulk call has one row with the number of links that it changed', async () => {
    const organization = await createOrganization(api.db);
    const links = [{ destination }, { destination }, { destination: { type: 'link', value: 'no address' } }];
    const { results } = await make(organization, 'POST', '/short-link/bulk', { links });
    const ids = results.slice(0, 2).map(({ data }: { data: { id: string } }) => data.id);
    await make(organization, 'PATCH', '/short-link/bulk', { ids, change: { title: 'Both' } });
    await make(organization, 'DELETE', '/short-link/bulk', { ids });
    const rows = await list(organization);
    expect(short(rows)).toEqual([
      ['shortLink.deleted', null, 2],
      ['shortLink.updated', null, 2],
      ['shortLink.created', null, 2],
    ]);
    expect(rows[1].details).toEqual({ fields: ['title'] });
  });

  it('a bulk call that changes one link has a row of that link', async () => {
    const organization = await createOrganization(api.db);
    for (const link of [
      { destination, slug: 'one' },
      { destination, slug: 'tagged', tags: ['print'] },
    ]) {
      const { results } = await make(organization, 'POST', '/short-link/bulk', { links: [link] });
      const [{ data }] = results;
      await make(organization, 'DELETE', '/short-link/bulk', { ids: [data.id] });
      expect(short(await list(organization, `?subject=${data.id}`))).toEqual([
        ['shortLink.deleted', link.slug, 1],
        ['shortLink.created', link.slug, 1],
      ]);
    }
  });

  it('lists changes of folders, tags, templates, domains, webhooks and imports', async () => {
    const organization = await createOrganization(api.db);
    for (const [path, body] of [
      ['/folder', { name: 'Spring' }],
      ['/tag', { name: 'print' }],
      ['/utm-template', { name: 'Letter' }],
    ] as const) {
      const { id } = await make(organization, 'POST', path, body);
      await make(organization, 'PATCH', `${path}/${id}`, { name: 'Renamed' });
      await make(organization, 'DELETE', `${path}/${id}`);
    }
    const domain = await make(organization, 'POST', '/domain', { domain: `${uuidv7()}.example` });
    await make(organization, 'PATCH', `/domain/${domain.id}`, { isActive: false });
    await make(organization, 'DELETE', `/domain/${domain.id}`);
    const url = 'https://hooks.example.com/secret-path';
    const webhook = await make(organization, 'POST', '/webhook', { url, events: ['link.created'] });
    await make(organization, 'PATCH', `/webhook/${webhook.id}`, { name: 'Shop' });
    await make(organization, 'POST', `/webhook/${webhook.id}/rotate-secret`);
    await make(organization, 'DELETE', `/webhook/${webhook.id}`);
    const { payload, headers } = writeMultipart([
      { filename: 'a.csv', content: 'keyword,url\na,https://example.com\n' },
    ]);
    const file = { payload, headers: { ...headers, ...as(organization).headers } };
    const made = await api.call('POST', '/short-link/import', undefined, file);
    expect(made.status).toBeLessThan(300);
    await make(organization, 'POST', `/short-link/import/${made.body.id}/cancel`);
    const rows = await list(organization);
    expect(short(rows.toReversed()).map(([action, name]) => `${action} ${name}`)).toEqual([
      'folder.created Spring',
      'folder.updated Renamed',
      'folder.deleted Renamed',
      'tag.created print',
      'tag.updated Renamed',
      'tag.deleted Renamed',
      'utmTemplate.created Letter',
      'utmTemplate.updated Renamed',
      'utmTemplate.deleted Renamed',
      `domain.created ${domain.domain}`,
      `domain.updated ${domain.domain}`,
      `domain.deleted ${domain.domain}`,
      'webhook.created hooks.example.com',
      'webhook.updated Shop',
      'webhook.secretRotated Shop',
      'webhook.deleted Shop',
      'import.created null',
      'import.cancelled null',
      'import.completed null',
    ]);
    expect(JSON.stringify(rows)).not.toContain('secret-path');
    expect(rows[0]).toMatchObject({ by: { type: 'system', userId: null, keyId: null, name: null } });
    expect(rows[0].details).toMatchObject({ state: 'cancelled', total: 1, notMade: 1 });
  });

  it('filters by action, caller and time, and pages by a cursor without a gap', async () => {
    const organization = await createOrganization(api.db);
    const { headers, id: userId } = await createSignedIn(api.db, organization.id, 'member');
    for (const name of ['one', 'two', 'three']) await make(organization, 'POST', '/folder', { name });
    expect((await api.call('POST', '/tag', { name: 'by hand' }, { headers })).status).toBe(201);
    expect(short(await list(organization, '?actions=tag.created,folder.deleted'))).toEqual([
      ['tag.created', 'by hand', 1],
    ]);
    const own = await list(organization, `?userId=${userId}`);
    expect(own).toMatchObject([{ by: { type: 'member', userId, keyId: null } }]);
    const [, newest] = await list(organization);
    expect(short(await list(organization, `?keyId=${newest.by.keyId}&limit=1`))).toEqual([
      ['folder.created', 'three', 1],
    ]);
    expect(await list(organization, `?until=${newest.at}&since=${newest.at}`)).toEqual([]);
    const first = await api.call('GET', '/activity?limit=3', undefined, as(organization));
    const next = await list(organization, `?limit=3&cursor=${first.body.nextCursor}`);
    expect([...short(first.body.data), ...short(next)].map(([, name]) => name)).toEqual([
      'by hand',
      'three',
      'two',
      'one',
    ]);
  });

  it('changes of domains, files and webhooks are hidden from keys that may not read these', async () => {
    const organization = await createOrganization(api.db, {
      permissions: { ...allPermissions, webhooks: ['create', 'update', 'delete'] },
    });
    await make(organization, 'POST', '/webhook', { url: 'https://hooks.example.com/', events: ['link.created'] });
    await make(organization, 'POST', '/folder', { name: 'Seen' });
    expect(short(await list(organization))).toEqual([['folder.created', 'Seen', 1]]);
    expect(await list(organization, '?actions=webhook.created')).toEqual([]);
  });

  it.each([
    ['?cursor=x', 'cursor'],
    ['?since=yesterday', 'since'],
  ])('answers 400 to %s', async (query, path) => {
    const answer = await api.call('GET', `/activity${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.issues[0].path.split('.')[0]).toBe(path);
  });

  it('rows of more than a year are removed in batches', async () => {
    const organization = await createOrganization(api.db);
    for (const name of ['a', 'b', 'c']) await make(organization, 'POST', '/folder', { name });
    await api.db.query(
      `update activities set at = at - interval '13 months' where organization_id = $1 and name <> 'c'`,
      [organization.id],
    );
    expect(await forgetOldActivities(emOf(api.db), new Date(), 1)).toBe(true);
    while (await forgetOldActivities(emOf(api.db), new Date(), 1));
    expect(short(await list(organization))).toEqual([['folder.created', 'c', 1]]);
  });
});
