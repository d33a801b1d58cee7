// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { sealLines } from '#db/audit/audit-chains.ts';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, testOrigin } from '#test/support/people.ts';
import { useStaff } from '#test/support/tools.ts';

const api = useTestApi();
const staff = useStaff(api);
const path = '/organization/audit';

interface Line {
  action: string;
  category: string;
  by: { type: string; userId: string | null; email: string | null; name: string | null };
}

/** An organization with an owner who is signed in. */
async function createOwned() {
  const organization = await createOrganization(api.db, { plan: 'premium' });
  const owner = await createSignedIn(api.db, organization.id, 'owner');
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', target: string, body?: object) =>
    api.call(method, target, body, { headers: owner.headers });
  const list = async (query = ''): Promise<Line[]> => {
    const { status, body } = await call('GET', `${path}${query}`);
    expect(status).toBe(200);
    return body.data;
  };
  const file = (target: string, headers: Record<string, string> = { cookie: owner.headers.cookie }) =>
    api.app.inject({ url: target, headers });
  return { organization, owner, call, list, file };
}

const actions = (lines: Line[]): string[] => lines.map(({ action }) => action);

describe('GET /organization/audit', () => {
  it('200: lists changes of webhooks, domains and settings and exports of links, with their callers', async () => {
    const { organization, owner, call, list, file } = await createOwned();
    const hook = await call('POST', '/webhook', {
      url: 'https://hooks.example.com/secret-path',
      events: ['link.created'],
    });
    await call('POST', `/webhook/${hook.body.id}/rotate-secret`);
    await call('POST', '/domain', { domain: 'audited.example.net' });
    await call('PATCH', '/organization', { threatPolicy: 'block' });
    await file('/short-link/export', { 'x-api-key': organization.key });
    const lines = await list();
    expect(lines.map(({ action, category, by }) => [action, category, by.type, by.email])).toEqual([
      ['export.shortLinks', 'exports', 'key', null],
      ['organization.updated', 'settings', 'member', owner.email],
      ['domain.created', 'domains', 'member', owner.email],
      ['webhook.secretRotated', 'webhooks', 'member', owner.email],
      ['webhook.created', 'webhooks', 'member', owner.email],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/secret-path|whsec_/);
    expect(lines[4]).toMatchObject({ subjectId: hook.body.id, details: { name: 'hooks.example.com' }, position: null });
  });

  it('200: lists API keys that were made, changed and revoked, without their values', async () => {
    const { organization, call, list } = await createOwned();
    await api.db.query('delete from api_keys where organization_id = $1', [organization.id]);
    const made = await call('POST', '/api-key', { type: 'bot', name: 'Newsletter', permissions: { stats: ['read'] } });
    await call('PATCH', `/api-key/${made.body.id}`, { name: 'Reports' });
    await call('DELETE', `/api-key/${made.body.id}`);
    const lines = await list('?categories=keys');
    expect(actions(lines)).toEqual(['apiKey.revoked', 'apiKey.updated', 'apiKey.created']);
    expect(lines[2]).toMatchObject({ subjectId: made.body.id, details: { name: 'Newsletter', type: 'bot' } });
    expect(lines[1]).toMatchObject({ details: { name: 'Reports', fields: ['name'] } });
    expect(JSON.stringify(lines)).not.toContain(made.body.key);
  });

  it('200: lists sign-ins, and attempts with a wrong password, once for many in an hour', async () => {
    const { owner, list } = await createOwned();
    const login = (password: string) =>
      api.call(
        'POST',
        '/auth/login',
        { email: owner.email, password },
        { headers: { 'x-api-key': undefined, origin: testOrigin } },
      );
    await login('wrong password 1');
    await login('wrong password 2');
    const lines = await list('?categories=signIns');
    expect(lines).toMatchObject([
      { action: 'auth.loginFailed', count: 2, by: { type: 'member', userId: owner.id, email: owner.email } },
    ]);
  });

  it('200: shows what staff read and changed, without their names and what they searched for', async () => {
    const { organization, list } = await createOwned();
    const { tools } = staff;
    await tools.links.search.query({ organizationId: organization.id, search: 'a customer of theirs' });
    await tools.organizations.setThreatPolicy.mutate({ id: organization.id, threatPolicy: 'warn' });
    const lines = await list('?categories=staff');
    expect(actions(lines)).toEqual(['organizations.setThreatPolicy', 'links.search']);
    const by = { type: 'staff', userId: null, keyId: null, name: null, email: null, client: null };
    expect(lines).toMatchObject([{ by }, { by }]);
    expect(JSON.stringify(lines)).not.toContain('a customer of theirs');
  });

  it('200: filters by category, person, key, subject and time, and pages by a cursor', async () => {
    const { organization, owner, call, list, file } = await createOwned();
    const made: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      made.push(
        (await call('POST', '/webhook', { url: `https://${name}.example.com/`, events: ['link.created'] })).body.id,
      );
    }
    await file('/short-link/export', { 'x-api-key': organization.key });
    expect(actions(await list('?categories=webhooks,exports'))).toHaveLength(4);
    expect(actions(await list('?categories=exports'))).toEqual(['export.shortLinks']);
    expect(await list(`?userId=${owner.id}`)).toHaveLength(3);
    expect(await list(`?subject=${made[1]}`)).toMatchObject([{ action: 'webhook.created', subjectId: made[1] }]);
    expect(await list('?since=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await list('?until=2999-01-01T00:00:00Z')).toHaveLength(4);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await call('GET', `${path}?limit=3${cursor}`);
      seen.push(...actions(body.data));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(['export.shortLinks', 'webhook.created', 'webhook.created', 'webhook.created']);
  });

  it('200: shows the place and the hash of a line once it is sealed', async () => {
    const { call, list } = await createOwned();
    await call('PATCH', '/organization', { threatPolicy: 'block' });
    while (await sealLines(api.em, new Date(), 100));
    expect(await list()).toMatchObject([{ position: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  });

  it('400: for an unknown category, a wrong moment and a cursor of another list', async () => {
    const { call } = await createOwned();
    for (const query of ['categories=gossip', 'since=yesterday', 'cursor=abc', 'limit=51']) {
      expect((await call('GET', `${path}?${query}`)).status).toBe(400);
    }
  });
});

describe('GET /organization/audit/export', () => {
  it('200: is CSV or JSON with the lines of the list, and a line of the log itself', async () => {
    const { call, list, file } = await createOwned();
    await call('POST', '/webhook', { url: 'https://hooks.example.com/', events: ['link.created'] });
    const lines = await list();
    const json = await call('GET', `${path}/export?format=json`);
    expect(json.headers['content-disposition']).toBe('attachment; filename="audit.json"');
    expect(json.body).toEqual(lines);
    const csv = await file(`${path}/export?categories=webhooks`);
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const rows = csv.body.trim().split('\r\n');
    expect(rows[0]).toContain('"action"');
    expect(rows).toHaveLength(2);
    expect(rows[1]).toContain('"webhook.created"');
    expect(actions(await list('?categories=exports'))).toEqual(['export.audit', 'export.audit']);
  });

  it('200: is an empty array or a head alone where nothing matches', async () => {
    const { call, file } = await createOwned();
    const query = 'since=2999-01-01T00:00:00Z';
    expect((await call('GET', `${path}/export?format=json&${query}`)).body).toEqual([]);
    expect((await file(`${path}/export?${query}`)).body.trim().split('\r\n')).toHaveLength(1);
  });

  it('200: has every line, beyond one page', async () => {
    const { organization, call } = await createOwned();
    const person = await createPerson(api.db, { [organization.id]: 'member' });
    await api.db.query(
      `insert into audit_log (id, at, caller, user_id, action, organization_id, details)
       select id, now(), 'member', $1, 'member.tested', $2, '{}' from unnest($3::uuid[]) as id`,
      [person.id, organization.id, Array.from({ length: 1203 }, () => uuidv7())],
    );
    const { body } = await call('GET', `${path}/export?format=json`);
    expect(new Set(body.map(({ id }: { id: string }) => id)).size).toBe(1203);
  });
});
