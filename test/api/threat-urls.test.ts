import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { urlHash } from '../../commands/verdicts.ts';
import { listScanTargets, type ScanTarget } from '../../db/verdicts.ts';
import { createTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** What the outbox has scanned. */
async function targets(): Promise<ScanTarget[]> {
  const { rows } = await api.db.query<{ id: string }>(`select subject_id as id from outbox where kind = 'threat-scan'`);
  return listScanTargets(
    api.db,
    rows.map(({ id }) => id),
  );
}

const hex = (url: string): string => urlHash(url).toString('hex');
const link = (value: string) => ({ type: 'link', value });

describe('what is scanned', () => {
  test('of a new link is its destination, those of its rules, and where it leads once it has expired', async () => {
    const urls = ['https://main.example/', 'https://rule.example/', 'https://över.example/gone'];
    const { status, body } = await api.call('POST', '/short-link', {
      destination: link(urls[0]!),
      rules: [{ priority: 1, osTypes: ['ios'], destination: link(urls[1]!) }],
      expiredUrl: urls[2],
    });
    expect([status, body]).toMatchObject([201, { expiredUrl: urls[2] }]);
    const found = (await targets()).filter(({ linkId }) => linkId === body.id);
    expect(new Set(found.map(({ url }) => url))).toEqual(new Set(urls));
    expect(found.find(({ destinationId }) => destinationId === body.id)).toMatchObject({
      urlHash: hex(urls[2]!),
      domainId: null,
    });
  });

  test('of a changed link is where it now leads once it has expired', async () => {
    const { body } = await api.call('POST', '/short-link', { destination: link('https://old.example/') });
    await api.call('PATCH', `/short-link/${body.id}`, { expiredUrl: 'https://later.example/' });
    const found = (await targets()).filter(({ linkId }) => linkId === body.id);
    expect(found.map(({ url }) => url).toSorted()).toEqual(['https://later.example/', 'https://old.example/']);
  });

  test('of a domain is its fallback', async () => {
    const { body } = await api.call('POST', '/domain', { domain: 'scanned.customer.example' });
    await api.call('PATCH', `/domain/${body.id}`, { fallbackUrl: 'https://fallback.example/' });
    const found = (await targets()).filter(({ domainId }) => domainId === body.id);
    expect(found).toEqual([
      {
        destinationId: body.id,
        linkId: null,
        domainId: body.id,
        organizationId: api.organization.id,
        urlHash: hex('https://fallback.example/'),
        url: 'https://fallback.example/',
      },
    ]);
  });
});
