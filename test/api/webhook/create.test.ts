import { beforeEach, describe, expect, it } from 'vitest';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { type Answer, createTestApi, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { outboxOf } from '#test/support/deliveries.ts';

const api = useTestApi();
beforeEach(async () => {
  api.organization = await createOrganization(api.db);
});

let counter = 0;
const newUrl = (): string => `https://hooks.example.com/${(counter += 1)}`;
const events = ['link.created'];

const create = (body: object = {}, { key } = api.organization): Promise<Answer> =>
  api.call('POST', '/webhook', { url: newUrl(), events, ...body }, { headers: { 'x-api-key': key } });
const read = async (id: string) => (await api.call('GET', `/webhook/${id}`)).body;

interface Row {
  [column: string]: unknown;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}
const rowOf = async (id: string): Promise<Row> =>
  (await api.db.query<Row>('select * from webhooks where id = $1', [id])).rows[0]!;

describe('POST /webhook', () => {
  it('answers 201 with the record and the secret, which no later answer holds', async () => {
    const wakes = api.wakes;
    const url = 'https://Hooks.Example.com:443/a?b=c#part';
    const { status, body, headers } = await create({ url, name: '  CRM ' });
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      organizationId: api.organization.id,
      name: 'CRM',
      url,
      events,
      scope: null,
      headerNames: [],
      maxPerSecond: null,
      isActive: true,
      isPaused: false,
      consecutiveFailures: 0,
      lastFailureAt: null,
      disabledAt: null,
      disabledReason: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      updatedAt: body.createdAt,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(Buffer.from(body.secret.slice(6), 'base64')).toHaveLength(32);
    const { secret: _secret, ...record } = body;
    expect(await read(body.id)).toEqual(record);
    expect(await outboxOf(api.db, body.id)).toEqual(['webhook']);
    expect(api.wakes).toBe(wakes + 1);
  });

  it('takes each event once, in the order given, and null for no name', async () => {
    const given = ['link.clicked', 'link.created', 'link.clicked', 'link.deleted'];
    const { body } = await create({ events: given, name: null });
    expect(body).toMatchObject({ events: ['link.clicked', 'link.created', 'link.deleted'], name: null });
  });

  it.each([
    [{ url: 'http://hooks.example.com/', events }, ['url']],
    [{ url: 'https://user:secret@hooks.example.com/', events }, ['url']],
    [{ url: 'https://hooks.example.com:0/', events }, ['url']],
    [{ url: `https://hooks.example.com/${'x'.repeat(2_048)}`, events }, ['url']],
    [
      { url: 'https://hooks.example.com/', events: ['link.seen', 'link.created', 'webhook.test'] },
      ['events.0', 'events.2'],
    ],
    [{ url: 'https://hooks.example.com/', events, name: 'CRM\u2028two' }, ['name']],
    [{ url: 'https://hooks.example.com/', events, name: 'x'.repeat(256) }, ['name']],
  ])('answers 400 to %j', async (body, paths) => {
    const answer = await api.call('POST', '/webhook', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.issues.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  it('answers 400 to an address that is not public', async () => {
    const url = 'https://10.0.0.1/';
    const http = createGuardedHttp({ dnsServers: ['127.0.0.1:1'] });
    await using strict = await createTestApi({ http, besides: api });
    const answer = await strict.call('POST', '/webhook', { url, events });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'url', message: expect.any(String) }] } });
    await http.close();
  });

  it(
    'answers 409 to a URL that the organization has, in any spelling, until that webhook is deleted',
    { tags: 'slow' },
    async () => {
      const { body } = await create({ url: 'https://hooks.example.com/same?q=1' });
      for (const url of ['https://HOOKS.example.com.:443/same?q=1', 'https://hooks.example.com/x/../same?q=1#f']) {
        expect(await create({ url })).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
      }
      expect((await create({ url: 'https://hooks.example.com/same?q=2' })).status).toBe(201);
      const other = await createOrganization(api.db);
      expect((await create({ url: 'https://hooks.example.com/same?q=1' }, other)).status).toBe(201);
      await api.call('DELETE', `/webhook/${body.id}`);
      expect((await create({ url: 'https://hooks.example.com/same?q=1' })).status).toBe(201);
    },
  );

  it('keeps the secret sealed', async () => {
    const { body } = await create();
    const row = await rowOf(body.id);
    const text = `${JSON.stringify(row)} ${row.secret_sealed.toString('latin1')}`;
    expect(text).not.toContain(body.secret);
    expect(text).not.toContain(body.secret.slice(6));
    expect(row.secret_sealed.includes(Buffer.from(body.secret.slice(6), 'base64'))).toBe(false);
  });
});
