// Calls an API by the generated TypeScript client, and prints `ok <operation>` or `failed <operation>: …` for each call.
import * as client from './client.ts';

client.defaults.baseUrl = process.env.API!;
client.defaults.headers = { 'x-api-key': process.env.KEY! };

type Answer = { status: number; data?: unknown };
type DataOf<A extends Answer, S> = Extract<A, { status: S; data: unknown }>['data'];

/** Notes a call. @returns its answer, which has the status. @throws Error when the answer is another one. */
async function expecting<A extends Answer, S extends A['status']>(
  operation: string,
  status: S,
  call: Promise<A>,
  isRight: (data: DataOf<A, S>) => boolean,
): Promise<DataOf<A, S>> {
  const answer = await call;
  if (answer.status !== status) throw new Error(`failed ${operation}: ${answer.status} ${JSON.stringify(answer.data)}`);
  const { data } = answer as Extract<A, { status: S; data: unknown }>;
  if (!isRight(data)) throw new Error(`failed ${operation}: ${JSON.stringify(data)}`);
  console.log(`ok ${operation}`);
  return data;
}

await expecting('checkLiveness', 200, client.checkLiveness(), ({ status }) => status === 'ok');
await expecting('getOrganization', 200, client.getOrganization(), ({ name }) => name !== '');
const folder = await expecting(
  'createFolder',
  201,
  client.createFolder({ name: 'Generated' }),
  ({ name, isDefault }) => name === 'Generated' && !isDefault,
);
await expecting('listFolders', 200, client.listFolders({ limit: 5 }), ({ count, data }) => count === data.length);
const tag = await expecting('createTag', 201, client.createTag({ name: 'typed' }), ({ color }) => color !== '');
const link = await expecting(
  'createShortLink',
  201,
  client.createShortLink(
    {
      destination: { type: 'link', value: 'https://example.com/generated' },
      folderId: folder.id,
      externalId: 'generated-1',
      tags: ['typed'],
      rules: [{ priority: 1, countries: ['DE'], destination: { type: 'link', value: 'https://example.com/de' } }],
    },
    { idempotencyKey: 'generated-1' },
  ),
  ({ rules, tags, title }) => rules[0]?.countries?.[0] === 'DE' && tags[0]?.id === tag.id && title === null,
);
await expecting('getShortLink', 200, client.getShortLink(link.id), ({ slug }) => slug === link.slug);
await expecting(
  'updateShortLink',
  200,
  client.updateShortLink(link.id, { title: 'Typed', metaTags: null }, { ifMatch: '*' }),
  ({ title }) => title === 'Typed',
);
await expecting(
  'listShortLinks',
  200,
  client.listShortLinks({ tagNames: ['typed'], states: ['active'], sortBy: 'createdAt', withQrCodeTemplate: true }),
  ({ data }) => data[0]?.qrCode === null && data[0].folder.id === folder.id,
);
await expecting('countShortLinks', 200, client.countShortLinks({ search: 'generated' }), ({ count }) => count === 1);
await expecting(
  'lookupShortLink',
  200,
  client.lookupShortLink({ externalId: 'generated-1' }),
  ({ id }) => id === link.id,
);
await expecting(
  'createShortLinks',
  201,
  client.createShortLinks({
    links: [
      { destination: { type: 'mail', value: 'ada@example.com' } },
      { destination: { type: 'phone', value: 'no phone' } },
    ],
  }),
  ({ results: [first, second] }) =>
    first !== undefined && 'data' in first && second !== undefined && 'error' in second && second.status === 400,
);
await expecting(
  'updateShortLinks',
  200,
  client.updateShortLinks({ links: [{ id: link.id, notes: 'Changed by a generated client' }] }),
  ({ results: [first] }) => first !== undefined && 'data' in first && first.data.notes !== null,
);
await expecting(
  'upsertShortLink',
  200,
  client.upsertShortLink({
    externalId: 'generated-1',
    destination: { type: 'link', value: 'https://example.com/two' },
  }),
  ({ destination }) => destination.value === 'https://example.com/two',
);
await expecting(
  'drawShortLinkQrCode',
  200,
  client.drawShortLinkQrCode(link.id, { format: 'svg', size: 300 }),
  // The client hands out a text, although its type is Blob.
  (picture) => String(picture).includes('<svg'),
);
await expecting('exportShortLinks', 200, client.exportShortLinks({ bom: false }), (csv) => csv.includes('generated-1'));
await expecting(
  'importShortLinks',
  201,
  client.importShortLinks({ file: new Blob(['destination,slug\nhttps://example.com/row,typed-row\n']), format: 'csv' }),
  ({ state }) => state !== 'completed',
);
await expecting(
  'uploadQrCodeImage',
  201,
  client.uploadQrCodeImage({
    file: new File(
      ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'],
      'logo.svg',
    ),
  }),
  ({ mime }) => mime === 'image/svg+xml',
);
await expecting('listFiles', 200, client.listFiles({ kind: 'qr-code' }), ({ count }) => count === 1);
await expecting(
  'getStatsOverview',
  200,
  client.getStatsOverview('country', { timezone: 'Europe/Berlin' }),
  ({ totalClicks }) => totalClicks === 0,
);
const webhook = await expecting(
  'createWebhook',
  201,
  client.createWebhook({ url: 'https://hooks.example.com/waymark', events: ['link.created'] }),
  ({ secret, disabledReason }) => secret.startsWith('whsec_') && disabledReason === null,
);
await expecting('getWebhook', 200, client.getWebhook(webhook.id), ({ events }) => events[0] === 'link.created');
await expecting(
  'createDomain',
  201,
  client.createDomain({ domain: 'typed.example.com' }),
  ({ dns, isVerified }) => dns.records.length > 0 && !isVerified,
);
await expecting('deleteShortLink', 200, client.deleteShortLink(link.id), ({ rowCount }) => rowCount === 1);
await expecting(
  'getShortLink',
  404,
  client.getShortLink(link.id),
  ({ code, requestId }) => code === 'NOT_FOUND' && requestId !== '',
);
