// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { insertRow } from '#test/support/rows.ts';

let nowMs = Date.parse('2026-11-20T12:00:00.000Z');
const api = useOwnTestApi({ clock: () => new Date(nowMs) });

let headers: { 'x-api-key': string };
/** Names of links by their ids. */
const names = new Map<string, string>();

async function make(name: string, body: object = {}): Promise<string> {
  const destination = { type: 'link', value: `https://example.com/${name}` };
  const { status, body: made } = await api.call('POST', '/short-link', { destination, ...body }, { headers });
  expect([status, made.issues]).toEqual([201, undefined]);
  names.set(made.id, name);
  return made.id;
}

async function ask(path: string): Promise<{ count: number; names: string[]; nextCursor: string | null }> {
  const { status, body } = await api.call('GET', path, undefined, { headers });
  expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
  const { count, data, nextCursor } = body;
  return { count, names: data.map(({ id }: { id: string }) => names.get(id)), nextCursor };
}

const destination = (value: string) => ({ destination: { type: 'link', value } });
const clicked = (id: string, clicks: number, at: string) =>
  insertRow(api.db, 'link_counters', { link_id: id, clicks, last_clicked_at: at });

beforeAll(async () => {
  const organization = await createOrganization(api.db);
  headers = { 'x-api-key': organization.key };
  const domain = await createDomain(api.db, organization.id, { domain: 'go.finding.example' });
  await make('plain', { tags: ['Spring', 'Sale'] });
  nowMs += 1_000;
  const capped = await make('capped', { maxClicks: 5, externalId: 'crm-1' });
  await clicked(capped, 5, '2026-11-20T13:00:00Z');
  nowMs += 1_000;
  await make('expired', { expiresAt: new Date(nowMs + 2_000).toISOString(), domainId: domain.id });
  nowMs += 1_000;
  const inactive = await make('inactive', { isActive: false, maxClicks: 1, tags: ['Autumn'], externalId: ' crm-3 ' });
  await clicked(inactive, 9, '2026-11-20T12:30:00Z');
  nowMs += 1_000;
  await make('ending', {
    expiresAt: '2027-01-01T00:00:00Z',
    tags: ['Red, blue'],
    ...destination('https://Shop.Müller.example:8443/x'),
  });
  nowMs += 5_000;
});

describe('filters of GET /short-link/list and /short-link/count', () => {
  it.each([
    ['states=active', ['ending', 'plain']],
    ['states=capped', ['capped']],
    ['states=expired', ['expired']],
    ['states=inactive', ['inactive']],
    ['states=expired,capped', ['expired', 'capped']],
    ['states[]=expired&states[]=capped', ['expired', 'capped']],
    ['domainNames=GO.finding.example', ['expired']],
    ['domainNames=other.example,go.finding.example', ['expired']],
    ['domainNames=not%20a%20domain', []],
    ['tagNames=spring', ['plain']],
    ['tagNames=SALE&tagNames=autumn', ['inactive', 'plain']],
    ['tagNames=sal', []],
    ['externalIds=crm-1&externalIds=crm-2', ['capped']],
    ['externalIds=crm-1,crm-2', []],
    ['externalIds=%20crm-3%20', ['inactive']],
    ['externalIds=crm-3', []],
    ['tagNames=%20spring%20', ['plain']],
    ['tagNames=red%2C%20blue', ['ending']],
    ['tagNames[]=Red,+Blue', ['ending']],
    ['tagNames=red', []],
    ['destinationHosts=example.com', ['inactive', 'expired', 'capped', 'plain']],
    ['destinationHosts=shop.m%C3%BCller.example', ['ending']],
    ['destinationHosts=SHOP.xn--mller-kva.example', ['ending']],
    ['destinationHosts=ller.example', []],
    ['destinationHosts=shop', []],
    ['createdSince=2026-11-20T12:00:01Z&createdUntil=2026-11-20T12:00:03Z', ['expired', 'capped']],
    ['createdSince=2026-11-20T13:00:03%2B01:00', ['ending', 'inactive']],
    ['createdSince=0000-01-01T00:00:00Z&createdUntil=2026-11-20T12:00:01Z', ['plain']],
    ['expiresSince=2026-12-01T00:00:00Z', ['ending']],
    ['expiresUntil=2026-12-01T00:00:00Z', ['expired']],
    ['clickedSince=2026-11-20T12:45:00Z', ['capped']],
    ['clickedUntil=2026-11-20T13:00:00Z', ['inactive']],
    ['updatedUntil=2026-11-20T12:00:01Z', ['plain']],
    ['states=active&tagNames=spring&search=plain', ['plain']],
    ['states=capped&tagNames=spring', []],
  ])('finds by %s', async (query, expected) => {
    expect(await ask(`/short-link/list?${query}`)).toMatchObject({ count: expected.length, names: expected });
    const { body } = await api.call('GET', `/short-link/count?${query}`, undefined, { headers });
    expect(body).toEqual({ count: expected.length });
    const page = await ask(`/short-link/list?${query}&sortBy=updatedAt`);
    expect([page.count, page.names.toSorted()]).toEqual([expected.length, expected.toSorted()]);
  });

  it('finds by ids, without links of others and archived ones', async () => {
    const { body } = await api.call('GET', '/short-link/list?limit=50', undefined, { headers });
    const ids = body.data.map(({ id }: { id: string }) => id);
    const some = ids.slice(1, 3);
    for (const query of [`ids=${some.join(',')}`, `ids[]=${some[0]}&ids[]=${some[1]}`]) {
      const found = await api.call('GET', `/short-link/list?${query}`, undefined, { headers });
      expect([found.body.count, found.body.data.map(({ id }: { id: string }) => id)]).toEqual([2, some]);
    }
    const foreign = await api.call('GET', `/short-link/list?ids=${some.join(',')}`);
    expect(foreign.body).toEqual({ count: 0, data: [], nextCursor: null });
    const narrowed = await api.call('GET', `/short-link/count?ids=${ids.join(',')}&states=capped`, undefined, {
      headers,
    });
    expect(narrowed.body).toEqual({ count: 1 });
  });

  it('finds a destination at an IPv6 address, with its brackets or without', async () => {
    const made = await api.call('POST', '/short-link', destination('https://[2001:DB8::7]:8443/x'));
    expect(made.status).toBe(201);
    for (const [host, count] of Object.entries({ '[2001:db8::7]': 1, '2001:DB8:0::7': 1, '2001': 0, '[2001': 0 })) {
      const query = new URLSearchParams({ destinationHosts: host });
      expect([host, (await api.call('GET', `/short-link/count?${query.toString()}`)).body]).toEqual([host, { count }]);
    }
  });

  it('exports by the same filters', async () => {
    const request = { url: '/short-link/export?states=capped', headers };
    const lines = (await api.app.inject(request)).payload.trim().split('\r\n');
    expect([lines.length, lines[1]?.includes('https://example.com/capped')]).toEqual([2, true]);
  });

  it.each([
    [`externalIds=a${'&externalIds=a'.repeat(100)}`, 'externalIds'],
    ['createdSince=yesterday', 'createdSince'],
    ['createdSince=2026-01-02T00:00:00Z&createdUntil=2026-01-01T00:00:00Z', 'createdSince'],
  ])('answers 400 to %s', async (query, path) => {
    for (const route of ['list', 'count', 'export']) {
      const { status, body } = await api.call('GET', `/short-link/${route}?${query}`, undefined, { headers });
      expect([route, status, body.issues?.[0].path]).toEqual([route, 400, path]);
    }
  });
});

describe('the order of GET /short-link/list', () => {
  const orders: [string, string[]][] = [
    ['createdAt', ['plain', 'capped', 'expired', 'inactive', 'ending']],
    ['updatedAt', ['plain', 'capped', 'expired', 'inactive', 'ending']],
    ['currentClicks', ['plain', 'expired', 'ending', 'capped', 'inactive']],
    ['lastClickedAt', ['plain', 'expired', 'ending', 'inactive', 'capped']],
    ['expiresAt', ['expired', 'ending', 'plain', 'capped', 'inactive']],
  ];

  it.each(orders)('is by %s, in pages and by cursor', async (sortBy, ascending) => {
    for (const [sortOrder, expected] of [
      ['asc', ascending],
      ['desc', ascending.toReversed()],
    ] as const) {
      const query = `/short-link/list?sortBy=${sortBy}&sortOrder=${sortOrder}`;
      expect(await ask(query)).toEqual({ count: 5, names: expected, nextCursor: null });
      expect((await ask(`${query}&limit=2&page=1`)).names).toEqual(expected.slice(2, 4));
      const seen: string[] = [];
      let next: string | null = '';
      while (next !== null) {
        const page = await ask(`${query}&limit=2${next}`);
        seen.push(...page.names);
        next = page.nextCursor && `&cursor=${page.nextCursor}`;
      }
      expect(seen).toEqual(expected);
    }
  });

  it('is changed by no link that is made between two pages', async () => {
    const query = '/short-link/list?sortBy=updatedAt&limit=3';
    const first = await ask(query);
    const id = await make('late');
    const second = await ask(`${query}&cursor=${first.nextCursor}`);
    expect([...first.names, ...second.names]).toEqual(['ending', 'inactive', 'expired', 'capped', 'plain']);
    expect((await api.call('DELETE', `/short-link/${id}`, undefined, { headers })).status).toBe(200);
  });

  it('is by id among links of equal value', async () => {
    const organization = await createOrganization(api.db);
    const ownHeaders = { 'x-api-key': organization.key };
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { body } = await api.call('POST', '/short-link', destination('https://example.com'), {
        headers: ownHeaders,
      });
      ids.push(body.id);
    }
    const list = async (query: string) =>
      (await api.call('GET', `/short-link/list?sortBy=currentClicks&${query}`, undefined, { headers: ownHeaders }))
        .body;
    const first = await list('sortOrder=asc&limit=2');
    const second = await list(`sortOrder=asc&limit=2&cursor=${first.nextCursor}`);
    const seen = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
    expect(seen).toEqual(ids.toSorted());
  });

  it.each([
    [`sortBy=updatedAt&cursor=${cursor(`1 ${uuidv7()}`)}`, 'cursor'],
    [`sortBy=updatedAt&cursor=${cursor(`updatedAt.asc 1 ${uuidv7()}`)}`, 'cursor'],
    [`cursor=${cursor(`updatedAt.desc 1 ${uuidv7()}`)}`, 'cursor'],
    [`sortBy=updatedAt&page=1&cursor=${cursor(`updatedAt.desc 1 ${uuidv7()}`)}`, 'page'],
  ])('answers 400 to %s', async (query, path) => {
    const { status, body } = await api.call('GET', `/short-link/list?${query}`, undefined, { headers });
    expect([status, body.issues?.[0].path]).toEqual([400, path]);
  });
});

function cursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}
