// @module-tag slow

import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSite, useOwnTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';
import { createDomain, createFile, createOrganization } from '#test/support/factories.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { insertRow } from '#test/support/rows.ts';
import { type BrowserHeaders, createPerson, createSignedIn } from '#test/support/people.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';
import { writeMultipart } from '#test/support/upload.ts';

// Lists, exports and statistics compare the organization in their statements alone. Each is asked by one organization before
// another one has anything, and afterwards: the answers must be equal. That proves little where the other one has nothing to
// show. So each is asked once more for each of its statements, without the comparison of that statement: the answer must
// differ (ADR 23). What routes show of one thing, such as the deliveries of a webhook, is asked in the same way, without the
// comparison with the organization or the thing.

const now = new Date();

/** Queries of a route; those listed take other statements than the first. */
const queries: Record<string, readonly string[]> = {
  '/short-link/list': [
    '',
    '?search=seen',
    '?search=se',
    '?withQrCodeTemplate=1',
    '?sortBy=updatedAt',
    '?externalIds=seen',
  ],
  '/short-link/count': ['', '?search=seen', '?tagNames=seen', '?states=active', '?destinationHosts=example.com'],
  '/short-link/counts': ['', '?search=seen', '?tagNames=seen'],
  '/short-link/lookup': [
    '?externalId=seen',
    '?url=https://example.com/seen',
    `?domain=${encodeURIComponent(testSite.shownDomain)}&slug=seen`,
  ],
  '/short-link/import/list': ['', '?states=pending'],
  '/short-link/export': ['', '?search=seen'],
  '/stats/overview': ['?groupBy=country', '?groupBy=shortLinks', '?groupBy=uniqueVisitors', '?groupBy=country&limit=1'],
  '/stats/report': [
    '?groupBys=country,shortLinks&compare=previous',
    '?groupBys=shortLinks,uniqueVisitors&device=desktop',
  ],
  '/activity': ['', '?actions=folder.created'],
  '/request-log': ['', '?status=2xx'],
  // Exports, which this test calls again and again, are lines too.
  '/organization/audit': ['?categories=webhooks,domains'],
  '/organization/audit/export': ['?categories=webhooks,domains'],
  '/process': [`?subject=${uuidv7()}`],
  '/process/list': [''],
  '/folder/list': ['', '?search=seen', '?withCounts=true'],
  '/files/list': ['', '?kind=meta-tag&search=e', '?withUses=true'],
  '/tag/list': ['', '?search=seen', '?withCounts=true'],
  '/utm-template/list': ['', '?search=seen'],
  '/domain/list': ['', '?search=example', '?withCounts=true'],
};
/** Routes that show nothing of an organization's, the session itself, or what a token names. */
const withoutTenant = new Set([
  '/healthz',
  '/readyz',
  '/.well-known/security.txt',
  '/auth/session',
  '/auth/organizations',
  '/auth/sessions',
  '/auth/apps',
  '/link-preview',
  '/link-preview/icon',
  '/auth/oidc',
  '/auth/second-factors',
  '/auth/oidc/callback',
  '/auth/oidc/callback/{id}',
  // One row, found by organization and id: test/api/request-log/request-log.test.ts.
  '/request-log/{id}',
  // By a token that names the organization.
  '/organization/deletion',
]);

const api = useOwnTestApi({ clock: () => now });
let viewer: BrowserHeaders;
let requests: string[];
let before: Map<string, string>;
/** An organization that has one of everything, and the answers about it. */
let holder: BrowserHeaders;
let ownRequests: string[];
let ownBefore: Map<string, string>;

/** The statement that is sent without its comparisons with an organization. */
let mutated: string | undefined;
/** Statements that compare an organization, since this was last emptied. */
const comparing = new Set<string>();
const { query: send } = pg.Client.prototype;

const one = String.raw`"? = (?:\$\d+(?:::uuid)?|'[\da-f-]{36}')`;
/** Comparisons of the organization with one value. */
const ofOrganization = new RegExp(String.raw`(?:[\w"]+\.)?"?organization_id${one}`, 'g');
/** Comparisons of the thing whose rows are read with one value, or of the organization. */
const ofParent = new RegExp(String.raw`(?:[\w"]+\.)?"?(?:organization|webhook|link|import)_id${one}`, 'g');
let comparison = ofOrganization;

/** Takes comparisons out of a statement; the parameter stays, which keeps its type. */
const mutate = (text: string): string => text.replace(comparison, '($& or true)');

beforeAll(async () => {
  pg.Client.prototype.query = function query(this: pg.Client, statement: unknown, ...rest: unknown[]) {
    const { text = '', name } = typeof statement === 'string' ? { text: statement } : (statement as pg.QueryConfig);
    if (mutate(text) !== text) comparing.add(text);
    let sent = statement;
    if (text === mutated && typeof statement === 'string') sent = mutate(text);
    else if (text === mutated) {
      // Another name: a connection keeps the statement of each name.
      const named = name === undefined ? {} : { name: `${name}-mutated` };
      sent = { ...(statement as pg.QueryConfig), ...named, text: mutate(text) };
    }
    return Reflect.apply(send, this, [sent, ...rest]) as unknown;
  } as typeof send;
  viewer = await signIn(await createOrganization(api.db));
  // A member of another organization alone, of the one that is filled last.
  await api.call(
    'POST',
    '/organization/invitations',
    { email: 'member@seen.example', role: 'member' },
    { headers: viewer },
  );
  const body = await readDocument(api);
  const paths = Object.entries<{ get?: object }>(body.paths);
  requests = paths
    .filter(([path, { get }]) => get !== undefined && !path.includes('{') && !withoutTenant.has(path))
    .flatMap(([path]) => (queries[path] ?? ['']).map((query) => `${path}${query}`));
  before = await readAll(requests);
  const held = await fill('held');
  holder = held.headers;
  ownRequests = paths
    .filter(([path, { get }]) => get !== undefined && path.includes('{id}') && !withoutTenant.has(path))
    .map(([path]) =>
      path.replace(/^\/([\w-]+(?:\/import)?)\/\{id\}/, (_, kind: string) => `/${kind}/${held.ids[kind]}`),
    )
    .map((path) => path.replace('{deliveryId}', held.deliveryId));
  ownBefore = await readAll(ownRequests, holder);
  await createPerson(api.db, { [(await fill('seen')).organizationId]: 'member' }, { email: 'member@seen.example' });
});
afterAll(() => {
  pg.Client.prototype.query = send;
});

async function read(url: string, { cookie } = viewer): Promise<string> {
  const { statusCode, payload } = await api.app.inject({ url, headers: { cookie } });
  // Nothing is found by a lookup, or only another organization's.
  const isNone = /^\/(?:short-link\/lookup|process\?)/.test(url) && statusCode !== 400;
  expect(`${url} ${statusCode} ${statusCode === 200 || isNone ? '' : payload}`).toBe(
    `${url} ${isNone ? statusCode : 200} `,
  );
  // The cursor of events is a moment.
  return payload.replace(/"requestId":"[^"]*"/, '').replace(url === '/events' ? /"nextCursor":"[^"]*"/ : '', '');
}

async function readAll(urls: readonly string[], caller = viewer): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const url of urls) answers.set(url, await read(url, caller));
  return answers;
}

/** Finds statements without whose comparisons every answer stays as it was. @param answers by URL, as they are with them. */
async function findUnnoticed(answers: ReadonlyMap<string, string>, caller: BrowserHeaders): Promise<string[]> {
  const noticed = new Map<string, boolean>();
  for (const [url, right] of answers) {
    comparing.clear();
    await read(url, caller);
    // Without a comparison the route may run others.
    const statements = [...comparing];
    for (const statement of statements) {
      mutated = statement;
      const answer = await read(url, caller).finally(() => (mutated = undefined));
      // A statement that several routes share has to be noticed on one of them.
      noticed.set(statement, noticed.get(statement) === true || answer !== right);
    }
  }
  return [...noticed].filter(([, isNoticed]) => !isNoticed).map(([statement]) => statement);
}

/** Signs an owner in: bots see no API keys. */
async function signIn({ id }: { id: string }): Promise<BrowserHeaders> {
  return (await createSignedIn(api.db, id, 'owner')).headers;
}

let dueBeforeMs = 0;

/** Makes an organization with one of everything. @param name of some of them, and in addresses. */
async function fill(
  name: string,
): Promise<{ headers: BrowserHeaders; organizationId: string; ids: Record<string, string>; deliveryId: string }> {
  const { db } = api;
  const { id: organizationId, folderId } = await createOrganization(db);
  const headers = await signIn({ id: organizationId });
  const options = { headers };
  const domain = await createDomain(db, organizationId);
  const fileId = await createFile(db, organizationId, 'meta-tag');
  const destination = { type: 'link', value: `https://example.com/${name}` };
  const link = await api.call(
    'POST',
    '/short-link',
    { destination, slug: name, externalId: name, tags: [name], expiresAt: new Date(now.getTime() + 60_000) },
    options,
  );
  expect(link.status).toBe(201);
  expect((await api.call('PATCH', `/short-link/${link.body.id}`, { title: name }, options)).status).toBe(200);
  const folder = await api.call('POST', '/folder', { name }, options);
  expect(folder.status).toBe(201);
  const template = await api.call('POST', '/utm-template', { name }, options);
  expect(template.status).toBe(201);
  const webhook = { url: `https://hooks.example.com/${name}`, events: ['link.created'] };
  const hook = await api.call('POST', '/webhook', webhook, options);
  expect(hook.status).toBe(201);
  // The next delivery is that of the organization that is made last.
  await createDelivery(db, hook.body.id, { due_at: new Date(now.getTime() - (dueBeforeMs += 1_000)) });
  const delivery = await createDelivery(db, hook.body.id, { status: 'failed', attempts: 1 });
  await insertRow(db, 'delivery_attempts', { delivery_id: delivery.id, error: name });
  // Processes: a deletion, a recovery, a secret and a key that end, a domain that is not verified.
  const gone = await api.call('POST', '/folder', { name: 'Gone' }, options);
  const endsAt = new Date(now.getTime() + 60_000);
  const endingKey = { type: 'integration', name, permissions: {}, expiresAt: endsAt };
  const changes = [
    await api.call('DELETE', `/folder/${gone.body.id}`, undefined, options),
    await api.call('POST', `/webhook/${hook.body.id}/rotate-secret`, undefined, options),
    await api.call('POST', `/webhook/${hook.body.id}/recover`, { since: now.toISOString() }, options),
    await api.call('POST', '/domain', { domain: `${name}.example` }, options),
  ];
  const key = await api.call('POST', '/api-key', endingKey, options);
  changes.push(key);
  expect(changes.filter(({ status: code }) => code >= 300)).toEqual([]);
  const form = writeMultipart([{ filename: 'seen.csv', content: `keyword,url\n${name},https://example.com/\n` }]);
  const file = { payload: form.payload, headers: { ...form.headers, ...headers } };
  const imported = await api.call('POST', '/short-link/import', undefined, file);
  expect(imported.status).toBe(201);
  await db.query(`update import_rows set state = 'failed', error = $2 where import_id = $1`, [imported.body.id, name]);
  await db.query(
    `insert into oidc_providers (organization_id, issuer, client_id, client_secret_sealed, email_domain, created_at, updated_at)
     values ($1, 'https://login.example.com', 'waymark', '', $2, now(), now())`,
    [organizationId, `${name}.example`],
  );
  expect(
    (await api.call('POST', '/organization/invitations', { email: `${name}@example.com`, role: 'member' }, options))
      .status,
  ).toBe(201);
  // Events are listed some seconds after they happened.
  await db.query(`update events set created_at = created_at - interval '1 minute' where organization_id = $1`, [
    organizationId,
  ]);
  const click = { organizationId, linkId: link.body.id, domainId: domain.id, folderId };
  // The last moments are read click by click, days before from their counts.
  const times = [1, 3 * 86_400_000].map((agoMs) => now.getTime() - agoMs);
  await ingestClicks(
    db,
    times.map((clickedAtMs) => testClick({ ...click, clickedAtMs, country: 'DE' })),
  );
  await insertRow(db, 'request_log', { organization_id: organizationId, at: now });
  const ids = {
    'short-link': link.body.id,
    'short-link/import': imported.body.id,
    domain: domain.id,
    folder: folder.body.id,
    tag: link.body.tags[0].id,
    'utm-template': template.body.id,
    files: fileId,
    webhook: hook.body.id,
    'api-key': key.body.id,
  };
  return { headers, organizationId, ids, deliveryId: delivery.id };
}

describe('routes that list', () => {
  it('every list, export and statistic answers as if no other organization existed', async () => {
    expect(await readAll(requests)).toEqual(before);
  });

  it('a list, export or statistic shows another organization where one statement of it compares none', async () => {
    for (const url of requests) {
      comparing.clear();
      await read(url);
      expect({ url, count: comparing.size }).not.toEqual({ url, count: 0 });
    }
    expect(await findUnnoticed(before, viewer)).toEqual([]);
  });
});

describe('routes that show one thing', () => {
  it('what is shown of a thing is as if no other organization existed', async () => {
    expect(ownRequests.length).toBeGreaterThan(15);
    expect(await readAll(ownRequests, holder)).toEqual(ownBefore);
  });

  it('a thing shows rows of others where one statement compares neither the thing nor the organization', async () => {
    comparison = ofParent;
    expect(await findUnnoticed(ownBefore, holder)).toEqual([]);
  });
});
