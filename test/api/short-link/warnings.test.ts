import { expect, test } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';

const api = useOwnTestApi({ hasGeoip: false });
const informed = useOwnTestApi(() => ({ besides: api }));

const destination = { type: 'link', value: 'https://example.com/' };
const rules = [
  { priority: 0, languages: ['de'], destination },
  { priority: 1, countries: ['DE'], destination },
];
// Where there is no GeoIP database.
const warnings = [
  { path: 'rules.1.countries', code: 'NO_GEOIP_DATABASE', message: expect.stringMatching(/never matches/) },
];

test('a create and an update of a link with rules by country warn, a read does not', async () => {
  const { status, body: made } = await api.call('POST', '/short-link', { destination, rules });
  expect([status, made.warnings]).toEqual([201, warnings]);
  const path = `/short-link/${String(made.id)}`;
  expect((await api.call('GET', path)).body).not.toHaveProperty('warnings');
  const renamed = await api.call('PATCH', path, { title: 'Spring' });
  expect([renamed.status, renamed.body.warnings]).toEqual([200, warnings]);
  // What an answer holds can be sent back.
  const { warnings: sent } = made;
  expect((await api.call('PATCH', path, { title: 'Summer', warnings: sent })).status).toBe(200);
  expect((await api.call('PATCH', path, { rules: [rules[0]] })).body).not.toHaveProperty('warnings');
});

test('an upsert and the rows of bulk calls warn of rules by country too', async () => {
  const put = await api.call('PUT', '/short-link/upsert', { externalId: 'geo', destination, rules });
  expect([put.status, put.body.warnings]).toEqual([201, warnings]);
  type Rows = { results: { status: number; data: { id: string; warnings?: unknown } }[] };
  const made = (await api.call('POST', '/short-link/bulk', { links: [{ destination }, { destination, rules }] })).body;
  const [plain, ruled] = (made as Rows).results;
  expect([plain!.status, ruled!.status]).toEqual([201, 201]);
  expect(plain!.data).not.toHaveProperty('warnings');
  expect(ruled!.data.warnings).toEqual(warnings);
  const changes = { links: [{ id: ruled!.data.id, title: 'Autumn' }] };
  const changed = (await api.call('PATCH', '/short-link/bulk', changes)).body as Rows;
  expect(changed.results[0]).toMatchObject({ status: 200, data: { warnings } });
});

test('a replayed create warns as the first one did', async () => {
  const options = { headers: { 'idempotency-key': 'geo' } };
  const body = { destination, rules };
  const first = await api.call('POST', '/short-link', body, options);
  const again = await api.call('POST', '/short-link', body, options);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.body).toEqual(first.body);
});

test('with a GeoIP database there is nothing to warn of', async () => {
  const { status, body } = await informed.call('POST', '/short-link', { destination, rules });
  expect(status).toBe(201);
  expect(body).not.toHaveProperty('warnings');
});

test('a create, an update and a bulk row warn of a QR code that scanners cannot read, a read does not', async () => {
  const code = 'QR_CODE_HARD_TO_SCAN';
  const qrCode = { options: { margin: 0, dotsOptions: { color: '#cccccc' } } };
  const made = await informed.call('POST', '/short-link', { destination, qrCode });
  expect(made.status).toBe(201);
  expect(made.body.warnings).toEqual([
    { path: 'qrCode.options.dotsOptions.color', code, message: expect.stringMatching(/contrast .* below 3:1/) },
    { path: 'qrCode.options.margin', code, message: expect.stringMatching(/quiet zone of less than 2 modules/) },
  ]);
  const path = `/short-link/${String(made.body.id)}`;
  expect((await informed.call('GET', path)).body).not.toHaveProperty('warnings');
  const options = { cornersDotOptions: { type: 'dots' } };
  const changed = await informed.call('PATCH', path, { qrCode: { options } });
  expect(changed.body.warnings).toMatchObject([{ path: 'qrCode.options.cornersDotOptions.type', code }]);
  const bulk = await informed.call('POST', '/short-link/bulk', { links: [{ destination, qrCode: { options } }] });
  const [row] = (bulk.body as { results: { data: { warnings: unknown } }[] }).results;
  expect(row!.data.warnings).toMatchObject([{ path: 'qrCode.options.cornersDotOptions.type', code }]);
  expect((await informed.call('PATCH', path, { qrCode: null })).body).not.toHaveProperty('warnings');
});
