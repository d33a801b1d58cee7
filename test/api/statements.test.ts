import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createFile, createFolder } from '#test/support/factories.ts';

// One statement finds the key of every call and counts it, before a route has its turn.
const perCall = 1;

let linkId: string;
let tagId: string;
let webhookId: string;
let deliveryId: string;

const api = useTestApi();
beforeAll(async () => {
  const destination = { type: 'link', value: 'https://example.com/statements' };
  const links = Array.from({ length: 50 }, (_link, index) => ({
    destination,
    tags: [`tag ${index}`, 'common'],
    rules: [{ priority: 0, languages: ['de'], destination }],
    metaTags: { title: 'T' },
    qrCode: { options: { width: 300 } },
  }));
  const { body } = await api.call('POST', '/short-link/bulk', { links });
  linkId = body.results[0].data.id;
  tagId = body.results[0].data.tags[0].id;
  for (let index = 0; index < 20; index += 1) {
    await createFolder(api.db, api.organization.id);
    await createDomain(api.db, api.organization.id);
    await createFile(api.db, api.organization.id, 'qr-code');
    const webhook = { url: `https://hooks.example.com/${index}`, events: ['link.created'] };
    webhookId = (await api.call('POST', '/webhook', webhook)).body.id;
  }
  for (let index = 0; index < 20; index += 1) {
    deliveryId = (await api.call('POST', `/webhook/${webhookId}/test`)).body.id;
  }
});

async function countStatements(url: string): Promise<number> {
  // That keys are used is written some time later: not while a call is looked at.
  await api.keyUses.flush();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    expect((await api.call('GET', url)).status).toBe(200);
    return query.mock.calls.length - perCall;
  } finally {
    query.mockRestore();
  }
}

describe('a create', () => {
  it('takes five statements: begin, references, rows, verdicts, commit', async () => {
    await api.keyUses.flush();
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      const destination = { type: 'link', value: 'https://example.com/five' };
      expect((await api.call('POST', '/short-link', { destination })).status).toBe(201);
      const statements = query.mock.calls.slice(perCall).map(([one]) => one as unknown as string | { name: string });
      const texts = statements.map((one) => (typeof one === 'string' ? one : one.name));
      expect(texts).toEqual([
        expect.stringMatching(/^begin; .*enable_seqscan = off$/),
        'read-link-context',
        expect.stringMatching(/^insert-links/),
        'verdicts_request',
        'commit',
      ]);
    } finally {
      query.mockRestore();
    }
  });
});

describe('the number of statements does not depend on the number of rows', () => {
  it.each([
    ['/short-link/list', 2],
    ['/short-link/list?withQrCodeTemplate=true&search=statements', 2],
    ['/folder/list', 2],
    ['/tag/list', 2],
    ['/domain/list', 2],
    ['/files/list', 2],
    ['/webhook/list', 2],
    ['/webhook/{webhookId}/deliveries', 3],
  ])('%s takes %i', async (path, expected) => {
    const url = path.replace('{webhookId}', webhookId);
    const separator = url.includes('?') ? '&' : '?';
    expect(await countStatements(`${url}${separator}limit=1`)).toBe(expected);
    expect(await countStatements(`${url}${separator}limit=50`)).toBe(expected);
  });

  it.each([
    ['a link', () => `/short-link/${linkId}`, 1],
    ['a tag', () => `/tag/${tagId}`, 1],
    ['a folder', () => `/folder/${api.organization.folderId}`, 1],
    ['all domains', () => '/domain/all', 1],
    ['a webhook', () => `/webhook/${webhookId}`, 1],
    ['a delivery with its attempts', () => `/webhook/${webhookId}/deliveries/${deliveryId}`, 3],
  ])('%s takes as many', async (_name, url, expected) => {
    expect(await countStatements(url())).toBe(expected);
  });
});
