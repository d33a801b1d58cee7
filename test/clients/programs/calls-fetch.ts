// Calls an API by the types of openapi-typescript, and prints `ok <operation>` or `failed <operation>: …` for each call.
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const client = createClient<paths>({ baseUrl: process.env.API!, headers: { 'x-api-key': process.env.KEY! } });

/** Notes a call. @throws Error when the answer is no success, or not the one that is expected. */
async function expecting<T>(
  operation: string,
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
  isRight: (data: T) => boolean,
): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined || !isRight(data))
    throw new Error(`failed ${operation}: ${response.status} ${JSON.stringify(error ?? data)}`);
  console.log(`ok ${operation}`);
  return data;
}

const to = (id: string) => ({ params: { path: { id } } });
const link = (value: string) => ({ destination: { type: 'link' as const, value } });

await expecting('checkLiveness', client.GET('/healthz'), ({ status }) => status === 'ok');
await expecting('getOrganization', client.GET('/organization'), ({ name }) => name !== '');
const folder = await expecting(
  'createFolder',
  client.POST('/folder', { body: { name: 'Generated' } }),
  ({ isDefault }) => !isDefault,
);
await expecting(
  'listFolders',
  client.GET('/folder/list', { params: { query: { limit: 5 } } }),
  ({ nextCursor }) => nextCursor === null,
);
await expecting('getFolder', client.GET('/folder/{id}', to(folder.id)), ({ name }) => name === 'Generated');
const tag = await expecting('createTag', client.POST('/tag', { body: { name: 'typed' } }), ({ color }) => color !== '');
await expecting('getTag', client.GET('/tag/{id}', to(tag.id)), ({ name }) => name === 'typed');
const made = await expecting(
  'createShortLink',
  client.POST('/short-link', {
    params: { header: { 'Idempotency-Key': 'generated-1' } },
    body: {
      ...link('https://example.com/generated'),
      folderId: folder.id,
      externalId: 'generated-1',
      tags: ['typed'],
      rules: [{ priority: 1, countries: ['DE'], ...link('https://example.com/de') }],
    },
  }),
  ({ tags, rules }) => tags[0]?.id === tag.id && rules[0]?.countries?.[0] === 'DE',
);
await expecting('getShortLink', client.GET('/short-link/{id}', to(made.id)), ({ slug }) => slug === made.slug);
await expecting(
  'updateShortLink',
  client.PATCH('/short-link/{id}', { ...to(made.id), body: { title: 'Typed', metaTags: null } }),
  ({ title }) => title === 'Typed',
);
await expecting(
  'listShortLinks',
  client.GET('/short-link/list', { params: { query: { tagNames: ['typed', 'other'], states: ['active'] } } }),
  ({ data }) => data[0]?.folder.id === folder.id,
);
await expecting(
  'countShortLinks',
  client.GET('/short-link/count', { params: { query: { search: 'generated' } } }),
  ({ count }) => count === 1,
);
await expecting(
  'lookupShortLink',
  client.GET('/short-link/lookup', { params: { query: { externalId: 'generated-1' } } }),
  ({ id }) => id === made.id,
);
await expecting(
  'createShortLinks',
  client.POST('/short-link/bulk', { body: { links: [link('https://example.com/one'), link('ftp://example.com')] } }),
  ({ results: [first, second] }) => first !== undefined && 'data' in first && second?.status === 400,
);
await expecting(
  'updateShortLinks',
  client.PATCH('/short-link/bulk', { body: { links: [{ id: made.id, notes: 'Changed' }] } }),
  ({ results: [first] }) => first !== undefined && 'data' in first && first.data.notes === 'Changed',
);
await expecting(
  'upsertShortLink',
  client.PUT('/short-link/upsert', { body: { ...link('https://example.com/two'), externalId: 'generated-1' } }),
  ({ destination }) => destination.value === 'https://example.com/two',
);
await expecting(
  'archiveShortLink',
  client.POST('/short-link/{id}/archive', to(made.id)),
  ({ isArchived }) => isArchived,
);
await expecting(
  'restoreShortLink',
  client.POST('/short-link/{id}/restore', to(made.id)),
  ({ isArchived }) => !isArchived,
);
await expecting(
  'getStatsOverview',
  client.GET('/stats/overview', { params: { query: { groupBy: 'country', timezone: 'Europe/Berlin' } } }),
  ({ totalClicks }) => totalClicks === 0,
);
const webhook = await expecting(
  'createWebhook',
  client.POST('/webhook', { body: { url: 'https://hooks.example.com/waymark', events: ['link.created'] } }),
  ({ secret }) => secret.startsWith('whsec_'),
);
await expecting('getWebhook', client.GET('/webhook/{id}', to(webhook.id)), ({ isActive }) => isActive);
await expecting('listWebhooks', client.GET('/webhook/list'), ({ data }) => data.length === 1);
await expecting(
  'createDomain',
  client.POST('/domain', { body: { domain: 'typed.example.com' } }),
  ({ dns }) => dns.records.length > 0,
);
await expecting('deleteWebhook', client.DELETE('/webhook/{id}', to(webhook.id)), ({ rowCount }) => rowCount === 1);
await expecting('deleteShortLink', client.DELETE('/short-link/{id}', to(made.id)), ({ rowCount }) => rowCount === 1);
