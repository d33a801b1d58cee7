import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createDelivery, outboxOf } from '#test/support/deliveries.ts';

const api = useTestApi();
beforeEach(async () => {
  api.organization = await createOrganization(api.db);
});

let counter = 0;
const newUrl = (): string => `https://hooks.example.com/${(counter += 1)}`;
const events = ['link.created'];

const create = (body: object = {}): Promise<Answer> => api.call('POST', '/webhook', { url: newUrl(), events, ...body });
const patch = (id: string, body: object): Promise<Answer> => api.call('PATCH', `/webhook/${id}`, body);
const list = async (query = '') => (await api.call('GET', `/webhook/list${query}`)).body;

interface Row {
  [column: string]: unknown;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}
const rowOf = async (id: string): Promise<Row> =>
  (await api.db.query<Row>('select * from webhooks where id = $1', [id])).rows[0]!;

describe('GET /webhook/list', () => {
  it('answers 200: the most recent first, in pages, by default all of them', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) await create({ name });
    const { count, data } = await list();
    expect([count, data.map(({ name }: { name: string }) => name)]).toEqual([3, ['c', 'b', 'a']]);
    expect(data[0]).not.toHaveProperty('secret');
    expect((await list('?limit=1&page=1')).data).toMatchObject([{ name: 'b' }]);
    expect(await list('?limit=0')).toEqual({ count: 3, data: [], nextCursor: null });
  });
});

describe('PATCH /webhook/{id}', () => {
  it('answers 200 and changes the fields that are sent', async () => {
    const { body: made } = await create({ name: 'old' });
    const url = newUrl();
    const changed = await patch(made.id, { url, events: ['link.clicked', 'link.deleted'], name: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { id: made.id, url, events: ['link.clicked', 'link.deleted'], name: null, isActive: true },
    });
    expect((await patch(made.id, {})).body).toEqual(changed.body);
  });

  it.each([
    [{ url: 'http://hooks.example.com/' }, 'url'],
    [{ url: 'https://192.168.1.1/' }, 'url'],
    [{ events: ['webhook.test'] }, 'events.0'],
  ])('answers 400 to %j', async (body, path) => {
    const { id } = (await create()).body;
    expect(await patch(id, body)).toMatchObject({ status: 400, body: { issues: [{ path }] } });
  });

  it('answers 409 to the URL of another', async () => {
    const [one, two] = [(await create()).body, (await create()).body];
    expect(await patch(one.id, { url: `${two.url}#x` })).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXIST' },
    });
    expect((await patch(one.id, { url: `${one.url}#x` })).status).toBe(200);
  });

  it('holds pending deliveries and cancels the recovery of a webhook that is turned off', async () => {
    const { id } = (await create()).body;
    await createDelivery(api.db, id);
    await createDelivery(api.db, id, { claim: 'a pump', tries: 2 });
    await createDelivery(api.db, id, { status: 'failed' });
    await createDelivery(api.db, id, { status: 'delivered' });
    await api.call('POST', `/webhook/${id}/recover`, { since: new Date().toISOString() });
    const wakes = api.wakes;
    const { body } = await patch(id, { isActive: false });
    expect(body).toMatchObject({ isActive: false, disabledAt: body.updatedAt, disabledReason: 'turned_off' });
    const { rows } = await api.db.query<{ status: string; due_at: Date | null; claim: string | null }>(
      'select status, due_at, claim from deliveries where webhook_id = $1 order by id',
      [id],
    );
    expect(rows.map(({ status }) => status)).toEqual(['held', 'held', 'failed', 'delivered']);
    expect(rows.every((row) => row.due_at === null)).toBe(true);
    expect(rows[1]!.claim).toBe('a pump');
    expect((await api.db.query('select from webhook_recoveries where webhook_id = $1', [id])).rowCount).toBe(0);
    expect(await outboxOf(api.db, id)).toEqual(['webhook']);
    expect(api.wakes).toBe(wakes + 1);
    expect((await patch(id, { isActive: false })).body).toEqual(body);
  });

  it('turned on, its failures are forgotten, and nothing is sent by that', async () => {
    const { id } = (await create()).body;
    await api.db.query(
      `update webhooks set is_active = false, consecutive_failures = 18, failing_since = now(), warned_at = now(), next_probe_at = now(),
         disabled_at = now(), disabled_reason = 'consecutive_failures', told_at = now(), last_failure_at = now()
       where id = $1`,
      [id],
    );
    await createDelivery(api.db, id, { status: 'held' });
    await createDelivery(api.db, id);
    expect((await patch(id, { isActive: false })).body.disabledReason).toBe('consecutive_failures');
    const { body } = await patch(id, { isActive: true });
    expect(body).toMatchObject({
      isActive: true,
      consecutiveFailures: 0,
      lastFailureAt: expect.any(String),
      disabledAt: null,
      disabledReason: null,
    });
    expect(await rowOf(id)).toMatchObject({ failing_since: null, next_probe_at: null, told_at: null, warned_at: null });
    const { rows } = await api.db.query('select distinct status from deliveries where webhook_id = $1', [id]);
    expect(rows).toEqual([{ status: 'held' }]);
  });
});

describe('DELETE /webhook/{id}', () => {
  it('answers 200; it is gone, and looked at a last time', async () => {
    const { id } = (await create()).body;
    await createDelivery(api.db, id);
    await api.db.query('delete from outbox');
    const answer = await api.call('DELETE', `/webhook/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { rowCount: 1 } });
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? {} : undefined;
      expect((await api.call(method, `/webhook/${id}`, body)).status).toBe(404);
    }
    expect((await list()).count).toBe(0);
    expect(await outboxOf(api.db, id)).toEqual(['webhook']);
    // Nothing waits for a webhook that is gone.
    const { rows } = await api.db.query('select status from deliveries where webhook_id = $1', [id]);
    expect(rows).toEqual([{ status: 'held' }]);
  });
});

describe('POST /webhook/{id}/rotate-secret', () => {
  const rotate = (id: string) => api.call('POST', `/webhook/${id}/rotate-secret`);

  it('answers 200 with another secret; the earlier one signs too for 24 hours', async () => {
    const { body: made } = await create();
    const before = await rowOf(made.id);
    const { status, body, headers } = await rotate(made.id);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toEqual({ ...made, secret: expect.stringMatching(/^whsec_/), updatedAt: body.updatedAt });
    expect(body.secret).not.toBe(made.secret);
    const row = await rowOf(made.id);
    expect(row.previous_secret_sealed).toEqual(before.secret_sealed);
    expect(row.secret_sealed).not.toEqual(before.secret_sealed);
    const leftMs = (row.previous_secret_until as Date).getTime() - Date.parse(body.updatedAt);
    expect(leftMs).toBe(24 * 60 * 60 * 1_000);
  });
});
