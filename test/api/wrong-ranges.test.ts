import { expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createSignedIn } from '#test/support/people.ts';

const api = useTestApi();

it.each(['/stats/export', '/stats/clicks'])(
  '%s asks for a time, and for no zone that it does not take',
  async (path) => {
    const { status, body } = await api.call('GET', `${path}?startDate=2026-11-29`);
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: 'startDate', message: expect.not.stringContaining('timezone') }]);
  },
);

it('a wrong zone alone is named beside dates that need one', async () => {
  const range = 'startDate=2026-10-25&endDate=2026-10-26';
  for (const zone of ['timezone=Z', 'timezone=UTC&timezone=Asia/Tokyo']) {
    const { body } = await api.call('GET', `/stats/clicks-over-time?${zone}&${range}`);
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(['timezone']);
  }
});

it.each([
  ['/activity', 'since', 'until'],
  ['/organization/audit', 'since', 'until'],
  ['/organization/audit/export', 'since', 'until'],
  ['/webhook/01a2263f-119e-7221-8df7-0fb76fa5b9a0/deliveries', 'since', 'until'],
  ['/files/list', 'createdSince', 'createdUntil'],
  ['/short-link/list', 'createdSince', 'createdUntil'],
  ['/request-log', 'since', 'until'],
])('%s refuses a range that ends before it begins', async (path, since, until) => {
  const { headers } = await createSignedIn(api.db, api.organization.id, 'owner');
  const url = `${path}?${since}=2026-12-01T00:00:00Z&${until}=2026-01-01T00:00:00Z`;
  const bySession = { headers: { ...headers, 'x-api-key': undefined } };
  const { status, body } = await api.call('GET', url, undefined, bySession);
  expect(status).toBe(400);
  expect(body.issues).toMatchObject([{ path: since, message: `must not be after ${until}` }]);
});

it.each([
  ['/files/list', 'createdSince', 'createdUntil'],
  ['/short-link/list', 'createdSince', 'createdUntil'],
  ['/stats/clicks', 'startDate', 'endDate'],
])('%s takes moments at both ends of time', async (path, since, until) => {
  const query = `${since}=0000-01-01T00:00:00Z&${until}=9999-12-31T23:59:59-14:00`;
  expect((await api.call('GET', `${path}?${query}`)).status).toBe(200);
});

it.each(['PATCH', 'DELETE'] as const)('%s /short-link/bulk names the id of a row that is none', async (method) => {
  const change = method === 'PATCH' ? { change: { title: 't' } } : {};
  const { body } = await api.call(method, '/short-link/bulk', { ids: ['nope'], ...change });
  expect(body.results).toMatchObject([{ status: 400, error: { issues: [{ path: 'id', message: 'must be a UUID' }] } }]);
});
