import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSite, useTestApi } from '#test/support/api.ts';
import { createDomain, createFile, createOrganization } from '#test/support/factories.ts';
import { type BrowserHeaders, createSignedIn } from '#test/support/people.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';
import { writeMultipart } from '#test/support/upload.ts';

// Lists, exports and statistics compare the organization in their statements alone. Each is asked by one organization before
// another one has anything, and afterwards: the answers must be equal. That proves little where the other one has nothing to
// show. So each is asked once more for each of its statements, without the comparison of that statement: the answer must
// differ (ADR 23).

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
  '/link-preview',
  '/auth/oidc',
  '/auth/second-factors',
  '/auth/oidc/callback',
  // By a token that names the organization.
  '/organization/deletion',
]);

const api = useTestApi({ clock: () => now });
let viewer: BrowserHeaders;
let requests: string[];
let before: Map<string, string>;

/** The statement that is sent without its comparisons with an organization. */
let mutated: string | undefined;
/** Statements that compare an organization, since this was last emptied. */
const comparing = new Set<string>();
const { query: send } = pg.Client.prototype;

/** Takes comparisons of `organization_id` with one value out of a statement; the parameter stays, which keeps its type. */
const mutate = (text: string): string =>
  text.replace(/(?:[\w"]+\.)?"?organization_id"? = (?:\$\d+(?:::uuid)?|'[\da-f-]{36}')/g, '($& or true)');

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
  const { body } = await api.call('GET', '/doc');
  const paths = Object.entries<{ get?: object }>(body.paths);
  requests = paths
    .filter(([path, { get }]) => get !== undefined && !path.includes('{') && !withoutTenant.has(path))
    .flatMap(([path]) => (queries[path] ?? ['']).map((query) => `${path}${query}`));
  before = await readAll();
  await fillAnother();
});
afterAll(() => {
  pg.Client.prototype.query = send;
});

async function read(url: string): Promise<string> {
  const { statusCode, payload } = await api.app.inject({ url, headers: { cookie: viewer.cookie } });
  // Nothing is found by a lookup, or only another organization's.
  const isNone = /^\/(?:short-link\/lookup|process\?)/.test(url) && statusCode !== 400;
  expect(`${url} ${statusCode} ${statusCode === 200 || isNone ? '' : payload}`).toBe(
    `${url} ${isNone ? statusCode : 200} `,
  );
  // The cursor of events is a moment.
  return payload.replace(/"requestId":"[^"]*"/, '').replace(url === '/events' ? /"nextCursor":"[^"]*"/ : '', '');
}

async function readAll(): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const url of requests) answers.set(url, await read(url));
  return answers;
}

/** Signs an owner in: bots see no API keys. */
async function signIn({ id }: { id: string }): Promise<BrowserHeaders> {
  return (await createSignedIn(api.db, id, 'owner')).headers;
}

/** Gives another organization one of everything. */
async function fillAnother(): Promise<void> {
  const { db } = api;
  const { id: organizationId, folderId } = await createOrganization(db);
  const options = { headers: await signIn({ id: organizationId }) };
  const domain = await createDomain(db, organizationId);
  await createFile(db, organizationId, 'meta-tag');
  const destination = { type: 'link', value: 'https://example.com/seen' };
  const link = await api.call(
    'POST',
    '/short-link',
    { destination, slug: 'seen', externalId: 'seen', tags: ['seen'], expiresAt: new Date(now.getTime() + 60_000) },
    options,
  );
  expect(link.status).toBe(201);
  const { status } = await api.call('POST', '/folder', { name: 'Seen' }, options);
  expect(status).toBe(201);
  expect((await api.call('POST', '/utm-template', { name: 'Seen' }, options)).status).toBe(201);
  const webhook = { url: 'https://hooks.example.com/seen', events: ['link.created'] };
  const hook = await api.call('POST', '/webhook', webhook, options);
  expect(hook.status).toBe(201);
  // Processes: a deletion, a recovery, a secret and a key that end, a domain that is not verified.
  const gone = await api.call('POST', '/folder', { name: 'Gone' }, options);
  const endsAt = new Date(now.getTime() + 60_000);
  const endingKey = { type: 'integration', name: 'Seen', permissions: {}, expiresAt: endsAt };
  const changes = [
    await api.call('DELETE', `/folder/${gone.body.id}`, undefined, options),
    await api.call('POST', `/webhook/${hook.body.id}/rotate-secret`, undefined, options),
    await api.call('POST', `/webhook/${hook.body.id}/recover`, { since: now.toISOString() }, options),
    await api.call('POST', '/domain', { domain: 'seen.example' }, options),
    await api.call('POST', '/api-key', endingKey, options),
  ];
  expect(changes.filter(({ status: code }) => code >= 300)).toEqual([]);
  const { payload, headers } = writeMultipart([{ filename: 'seen.csv', content: 'keyword,url\n' }]);
  const file = { payload, headers: { ...headers, ...options.headers } };
  expect((await api.call('POST', '/short-link/import', undefined, file)).status).toBe(201);
  await db.query(
    `insert into oidc_providers (organization_id, issuer, client_id, client_secret_sealed, email_domain, created_at, updated_at)
     values ($1, 'https://login.example.com', 'waymark', '', 'seen.example', now(), now())`,
    [organizationId],
  );
  expect(
    (await api.call('POST', '/organization/invitations', { email: 'seen@example.com', role: 'member' }, options))
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
}

describe('routes that list', () => {
  it('every list, export and statistic answers as if no other organization existed', async () => {
    expect(await readAll()).toEqual(before);
  });

  it('a list, export or statistic shows another organization where one statement of it compares none', async () => {
    const noticed = new Map<string, boolean>();
    for (const url of requests) {
      comparing.clear();
      await read(url);
      const statements = [...comparing];
      expect({ url, count: statements.length }).not.toEqual({ url, count: 0 });
      for (const statement of statements) {
        mutated = statement;
        const answer = await read(url).finally(() => (mutated = undefined));
        // A statement that several routes share has to be noticed on one of them.
        noticed.set(statement, noticed.get(statement) === true || answer !== before.get(url));
      }
    }
    expect([...noticed].filter(([, isNoticed]) => !isNoticed).map(([statement]) => statement)).toEqual([]);
  });
});
