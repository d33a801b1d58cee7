// Calls an API by the client of @hey-api/openapi-ts, and prints `ok <operation>` or `failed <operation>: …` for each call.
import { client } from './client/client.gen.ts';
import * as sdk from './client/sdk.gen.ts';

client.setConfig({ baseUrl: process.env.API!, headers: { 'x-api-key': process.env.KEY! } });

/** Notes a call. @throws Error when the answer is no success, or not the one that is expected. */
async function expecting<T>(
  operation: string,
  call: Promise<{ data: T | undefined; error: unknown; response?: Response }>,
  isRight: (data: T) => boolean,
): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined || !isRight(data))
    throw new Error(`failed ${operation}: ${response?.status} ${JSON.stringify(error ?? data)}`);
  console.log(`ok ${operation}`);
  return data;
}

const link = (value: string) => ({ destination: { type: 'link' as const, value } });

await expecting('checkLiveness', sdk.checkLiveness(), ({ status }) => status === 'ok');
await expecting('getOrganization', sdk.getOrganization(), ({ name }) => name !== '');
const folder = await expecting(
  'createFolder',
  sdk.createFolder({ body: { name: 'Generated' } }),
  ({ isDefault }) => !isDefault,
);
await expecting('listFolders', sdk.listFolders({ query: { limit: 5 } }), ({ count, data }) => count === data.length);
const tag = await expecting('createTag', sdk.createTag({ body: { name: 'typed' } }), ({ color }) => color !== '');
const made = await expecting(
  'createShortLink',
  sdk.createShortLink({
    headers: { 'Idempotency-Key': 'generated-1' },
    body: {
      ...link('https://example.com/generated'),
      folderId: folder.id,
      externalId: 'generated-1',
      tags: ['typed'],
      rules: [{ priority: 1, countries: ['DE'], ...link('https://example.com/de') }],
    },
  }),
  ({ tags, rules, title }) => tags[0]?.id === tag.id && rules[0]?.countries?.[0] === 'DE' && title === null,
);
const path = { id: made.id };
await expecting('getShortLink', sdk.getShortLink({ path }), ({ slug }) => slug === made.slug);
await expecting(
  'updateShortLink',
  sdk.updateShortLink({ path, headers: { 'If-Match': '*' }, body: { title: 'Typed', metaTags: null } }),
  ({ title }) => title === 'Typed',
);
await expecting(
  'listShortLinks',
  sdk.listShortLinks({ query: { tagNames: ['typed', 'other'], states: ['active'], withQrCodeTemplate: true } }),
  ({ data }) => data[0]?.qrCode === null && data[0].folder.id === folder.id,
);
await expecting('countShortLinks', sdk.countShortLinks({ query: { search: 'generated' } }), ({ count }) => count === 1);
await expecting(
  'lookupShortLink',
  sdk.lookupShortLink({ query: { externalId: 'generated-1' } }),
  ({ id }) => id === made.id,
);
await expecting(
  'createShortLinks',
  sdk.createShortLinks({ body: { links: [link('https://example.com/one'), link('ftp://example.com')] } }),
  ({ results: [first, second] }) => first !== undefined && 'data' in first && second?.status === 400,
);
await expecting(
  'updateShortLinks',
  sdk.updateShortLinks({ body: { links: [{ id: made.id, notes: 'Changed' }] } }),
  ({ results: [first] }) => first !== undefined && 'data' in first && first.data.notes === 'Changed',
);
await expecting(
  'upsertShortLink',
  sdk.upsertShortLink({ body: { ...link('https://example.com/two'), externalId: 'generated-1' } }),
  ({ destination }) => destination.value === 'https://example.com/two',
);
await expecting(
  'drawShortLinkQrCode',
  sdk.drawShortLinkQrCode({ path, query: { format: 'png', size: 300 } }),
  (picture) => picture instanceof Blob && picture.size > 0,
);
await expecting('exportShortLinks', sdk.exportShortLinks({ query: { bom: false } }), (csv) =>
  csv.includes('generated-1'),
);
await expecting(
  'importShortLinks',
  sdk.importShortLinks({
    body: { file: new File(['destination,slug\nhttps://example.com/row,typed-row\n'], 'links.csv') },
  }),
  ({ finishedAt }) => finishedAt === null,
);
const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>';
await expecting(
  'uploadQrCodeImage',
  sdk.uploadQrCodeImage({ body: { file: new File([logo], 'logo.svg') } }),
  ({ mime }) => mime === 'image/svg+xml',
);
await expecting('listFiles', sdk.listFiles({ query: { kind: 'qr-code' } }), ({ count }) => count === 1);
await expecting(
  'getStatsOverview',
  sdk.getStatsOverview({ query: { groupBy: 'country', timezone: 'Europe/Berlin' } }),
  ({ totalClicks }) => totalClicks === 0,
);
const webhook = await expecting(
  'createWebhook',
  sdk.createWebhook({ body: { url: 'https://hooks.example.com/waymark', events: ['link.created'] } }),
  ({ secret, disabledReason }) => secret.startsWith('whsec_') && disabledReason === null,
);
await expecting('getWebhook', sdk.getWebhook({ path: { id: webhook.id } }), ({ isActive }) => isActive);
await expecting(
  'createDomain',
  sdk.createDomain({ body: { domain: 'typed.example.com' } }),
  ({ dns, isVerified }) => dns.records.length > 0 && !isVerified,
);
await expecting('deleteShortLink', sdk.deleteShortLink({ path }), ({ rowCount }) => rowCount === 1);
const missing = await sdk.getShortLink({ path });
console.log(
  missing.error?.code === 'NOT_FOUND' ? 'ok getShortLink' : `failed getShortLink: ${missing.response?.status}`,
);
