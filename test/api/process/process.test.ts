import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { allPermissions, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { writeMultipart } from '#test/support/upload.ts';

const now = new Date('2026-03-14T15:09:26.535Z');
const api = useOwnTestApi({ clock: () => now });
const destination = { type: 'link', value: 'https://example.com/process' };
const inDays = (days: number): string => new Date(now.getTime() + days * 86_400_000).toISOString();

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });

async function make(organization: TestOrganization, method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) {
  const answer = await api.call(method, path, body, as(organization));
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

async function startImport(organization: TestOrganization): Promise<string> {
  const { payload, headers } = writeMultipart([{ filename: 'a.csv', content: 'keyword,url\na,https://example.com\n' }]);
  const file = { payload, headers: { ...headers, ...as(organization).headers } };
  return (await api.call('POST', '/short-link/import', undefined, file)).body.id;
}

const read = (organization: TestOrganization, subject: string) =>
  api.call('GET', `/process?subject=${subject}`, undefined, as(organization));

const listAll = async (organization: TestOrganization) => {
  const answer = await api.call('GET', '/process/list', undefined, as(organization));
  expect(answer.status).toBe(200);
  return answer.body;
};

describe('GET /process', () => {
  it('tells of a link its scan, its cap, and when it ends', async () => {
    const organization = await createOrganization(api.db);
    const draft = { destination, slug: 'ends', expiresAt: inDays(3), maxClicks: 10 };
    const { id } = await make(organization, 'POST', '/short-link', draft);
    const subject = { type: 'shortLink', id, name: 'ends' };
    expect((await read(organization, id)).body).toEqual({
      subject,
      now: [
        { kind: 'scan', subject, state: 'waiting', done: 0, total: 1, startedAt: null, workflowId: null },
        { kind: 'cap', subject, state: 'running', done: 0, total: 10, startedAt: null, workflowId: null },
      ],
      next: [{ kind: 'linkEnds', subject, at: inDays(3), workflowId: null }],
    });
  });

  it('tells of a domain its state and its next checks', async () => {
    const organization = await createOrganization(api.db);
    const { id, domain } = await make(organization, 'POST', '/domain', { domain: `${uuidv7()}.example` });
    const subject = { type: 'domain', id, name: domain };
    const { body } = await read(organization, id);
    expect(body).toMatchObject({
      subject,
      now: [{ kind: 'domainCheck', state: 'unverified', workflowId: `domain/${id}` }],
    });
    // Two of three checks have failed: the third one, in a day, takes the verification away.
    await api.db.query('update domains set is_verified = true, failed_checks = 2, next_check_at = $2 where id = $1', [
      id,
      inDays(1),
    ]);
    const later = await read(organization, id);
    expect(later.body).toMatchObject({
      now: [{ kind: 'domainCheck', state: 'failing' }],
      next: [
        { kind: 'domainCheck', at: inDays(1) },
        { kind: 'domainLost', at: inDays(1) },
      ],
    });
    await api.db.query('update domains set failed_checks = 1 where id = $1', [id]);
    expect((await read(organization, id)).body.next[1]).toMatchObject({ kind: 'domainLost', at: inDays(2) });
  });

  it('tells of a webhook its state, a recovery, and when its earlier secret ends', async () => {
    const organization = await createOrganization(api.db);
    const url = 'https://hooks.example.com/path';
    const { id } = await make(organization, 'POST', '/webhook', { url, events: ['link.created'] });
    await make(organization, 'POST', `/webhook/${id}/rotate-secret`);
    await make(organization, 'POST', `/webhook/${id}/recover`, { since: now.toISOString() });
    const { body } = await read(organization, id);
    expect(body).toMatchObject({
      subject: { type: 'webhook', id, name: 'hooks.example.com' },
      now: [
        { kind: 'delivery', state: 'well', total: 0 },
        { kind: 'recovery', state: 'running', workflowId: `webhook/${id}` },
      ],
      next: [{ kind: 'secretEnds', at: inDays(1) }],
    });
  });

  it('calls a webhook by the name that its people gave it', async () => {
    const organization = await createOrganization(api.db);
    const hook = { url: 'https://hooks.example.com/named', events: ['link.created'], name: 'Warehouse' };
    const { id } = await make(organization, 'POST', '/webhook', hook);
    await make(organization, 'POST', `/webhook/${id}/recover`, { since: now.toISOString() });
    const { body } = await read(organization, id);
    const subject = { type: 'webhook', id, name: 'Warehouse' };
    expect(body).toMatchObject({ subject, now: [{ subject }, { kind: 'recovery', subject }] });
  });

  it('tells of an import and of a deletion how far they are', async () => {
    const organization = await createOrganization(api.db);
    const id = await startImport(organization);
    expect((await read(organization, id)).body).toMatchObject({
      subject: { type: 'import', id, name: null },
      now: [{ kind: 'import', state: 'pending', done: 0, total: 1, workflowId: `import/${id}` }],
      next: [],
    });
    const link = await make(organization, 'POST', '/short-link', { destination });
    await make(organization, 'DELETE', `/short-link/${link.id}`);
    expect((await read(organization, link.id)).body).toMatchObject({
      subject: { type: 'shortLink', id: link.id },
      now: [{ kind: 'deletion', done: 0, total: 1, workflowId: `delete-link/${link.id}` }],
      next: [],
    });
  });

  it('answers 404 to an unknown id, and for a webhook to a key that may not read webhooks', async () => {
    const organization = await createOrganization(api.db, {
      permissions: { ...allPermissions, webhooks: ['create'] },
    });
    const { id } = await make(organization, 'POST', '/webhook', {
      url: 'https://a.example.com/',
      events: ['link.created'],
    });
    expect(await read(organization, id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await read(organization, uuidv7())).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it("answers 403 to ids of another organization's link, domain, webhook and import", async () => {
    const owner = await createOrganization(api.db);
    const other = await createOrganization(api.db);
    const ids = [
      (await make(owner, 'POST', '/short-link', { destination })).id,
      (await make(owner, 'POST', '/domain', { domain: `${uuidv7()}.example` })).id,
      (await make(owner, 'POST', '/webhook', { url: 'https://b.example.com/', events: ['link.created'] })).id,
      await startImport(owner),
    ];
    for (const id of ids) expect(await read(other, id)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it.each([
    ['', 'subject'],
    ['?subject=x', 'subject'],
  ])('answers 400 to "%s"', async (query, path) => {
    const answer = await api.call('GET', `/process${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path }] } });
  });
});

describe('GET /process/list', () => {
  it('lists what runs, and the ends of the next 30 days in the order of time', async () => {
    const organization = await createOrganization(api.db);
    expect(await listAll(organization)).toEqual({ running: [], upcoming: [] });
    await make(organization, 'POST', '/short-link', { destination, slug: 'later', expiresAt: inDays(29) });
    await make(organization, 'POST', '/short-link', { destination, slug: 'soon', expiresAt: inDays(2) });
    await make(organization, 'POST', '/short-link', { destination, slug: 'next-year', expiresAt: inDays(300) });
    const hook = await make(organization, 'POST', '/webhook', {
      url: 'https://c.example.com/',
      events: ['link.created'],
    });
    await make(organization, 'POST', `/webhook/${hook.id}/rotate-secret`);
    const imported = await startImport(organization);
    const folder = await make(organization, 'POST', '/folder', { name: 'Gone' });
    await make(organization, 'DELETE', `/folder/${folder.id}`);
    const { running, upcoming } = await listAll(organization);
    expect(running).toMatchObject([
      { kind: 'import', subject: { id: imported } },
      { kind: 'deletion', subject: { type: 'folder', id: folder.id, name: 'Gone' } },
    ]);
    expect(
      upcoming.map(({ kind, subject, at }: Record<string, { name: string }>) => [kind, subject!.name, at]),
    ).toEqual([
      ['secretEnds', 'c.example.com', inDays(1)],
      ['linkEnds', 'soon', inDays(2)],
      ['linkEnds', 'later', inDays(29)],
    ]);
  });

  it('lists domains and webhooks in trouble to callers that may read these', async () => {
    for (const [permissions, kinds] of [
      [allPermissions, ['domainCheck', 'delivery']],
      [{ ...allPermissions, domains: ['create' as const], webhooks: ['create' as const] }, []],
    ] as const) {
      const organization = await createOrganization(api.db, { permissions });
      await make(organization, 'POST', '/domain', { domain: `${uuidv7()}.example` });
      const url = 'https://d.example.com/';
      const { id } = await make(organization, 'POST', '/webhook', { url, events: ['link.created'] });
      await api.db.query('update webhooks set failing_since = $2, next_probe_at = $3 where id = $1', [
        id,
        now.toISOString(),
        inDays(1),
      ]);
      const { running } = await listAll(organization);
      expect(running.map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
    }
  });
});
