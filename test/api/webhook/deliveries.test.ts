// @module-tag slow

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { eventTypes } from '#core/webhooks/events.ts';
import { askedMeanwhile } from '#db/webhooks/deliveries/sending.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createDelivery, outboxOf } from '#test/support/deliveries.ts';
import { insertRow } from '#test/support/rows.ts';

let id: string;
let counter = 0;
const api = useTestApi();
beforeEach(async () => {
  // The plan's 50 webhooks are another test's.
  api.organization = await createOrganization(api.db);
  ({ id } = await createWebhook());
  await api.db.query('delete from outbox');
});

async function createWebhook(events = ['link.created']) {
  const url = `https://hooks.example.com/deliveries/${(counter += 1)}`;
  return (await api.call('POST', '/webhook', { url, events, name: 'CRM' })).body;
}

const guide = readFileSync(join(import.meta.dirname, '../../../docs/webhook-events.md'), 'utf8');

/** The names of a value's fields, in their order, with the types of their values. */
function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return value.map(shapeOf);
  return Object.entries(value).map(([name, field]) => [name, shapeOf(field)]);
}

const post = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> =>
  api.call('POST', `/webhook/${id}${path}`, body, { headers });
const get = (path: string): Promise<Answer> => api.call('GET', `/webhook/${id}${path}`);
const turnOff = () => api.call('PATCH', `/webhook/${id}`, { isActive: false });
const off = {
  status: 400,
  body: { issues: [{ path: 'isActive', message: 'The webhook is off: turn it on first.' }] },
};

interface Row {
  [column: string]: unknown;
}
const rowOf = async (deliveryId: string): Promise<Row> =>
  (await api.db.query<Row>('select *, due_at <= now() as is_due from deliveries where id = $1', [deliveryId])).rows[0]!;

describe('POST /webhook/{id}/test', () => {
  it('answers 200 with a delivery of webhook.test, which is due at once although no webhook can subscribe to it', async () => {
    const wakes = api.wakes;
    const { status, body } = await post('/test');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      eventId: expect.any(String),
      type: 'webhook.test',
      status: 'pending',
      responseCode: null,
      error: null,
      errorCode: null,
      attempts: 0,
      createdAt: expect.any(String),
      nextAttemptAt: expect.any(String),
    });
    expect(await rowOf(body.id)).toMatchObject({ webhook_id: id, is_urgent: true, is_due: true, claim: null });
    const { rows } = await api.db.query('select organization_id, type, link_id, body from events where id = $1', [
      body.eventId,
    ]);
    const sent = { id: body.eventId, type: 'webhook.test', createdAt: body.createdAt, data: { webhook: { id } } };
    expect(rows).toEqual([
      { organization_id: api.organization.id, type: 'webhook.test', link_id: null, body: JSON.stringify(sent) },
    ]);
    expect((await api.db.query('select from event_queue where event_id = $1', [body.eventId])).rowCount).toBe(0);
    expect(await outboxOf(api.db, id)).toEqual(['webhook']);
    expect(api.wakes).toBe(wakes + 1);
  });

  it('answers 400 while the webhook is off', async () => {
    await turnOff();
    expect(await post('/test')).toMatchObject(off);
  });

  it.each(eventTypes)('sends a sample of %s, as the guide shows the type, to this webhook alone', async (type) => {
    const other = (await createWebhook([type])).id;
    const { status, body } = await post('/test', { type });
    expect({ status, type: body.type }).toEqual({ status: 200, type });
    const sent = JSON.parse((await get(`/deliveries/${body.id}`)).body.body);
    expect(sent).toMatchObject({ id: body.eventId, type, createdAt: body.createdAt, isTest: true });
    const [, shown = ''] = new RegExp(`### ${type}\n\n\`\`\`json\n([\\s\\S]*?)\`\`\``).exec(guide) ?? [];
    expect(shapeOf(sent.data)).toEqual(shapeOf(JSON.parse(shown).data));
    expect((await api.db.query('select from event_queue where event_id = $1', [body.eventId])).rowCount).toBe(0);
    expect((await api.call('GET', `/webhook/${other}/deliveries`)).body.count).toBe(0);
    const { rows } = await api.db.query('select type from events where id = $1', [body.eventId]);
    expect(rows).toEqual([{ type: 'webhook.test' }]);
  });

  it('takes webhook.test and an empty body', async () => {
    for (const sent of [{}, { type: 'webhook.test' }]) {
      const { body } = await post('/test', sent);
      const { data, ...rest } = JSON.parse((await get(`/deliveries/${body.id}`)).body.body);
      expect([Object.keys(rest), data]).toEqual([['id', 'type', 'createdAt'], { webhook: { id } }]);
    }
  });
});

const unanswered = {
  at: '2026-03-14T15:09:26.535Z',
  code: null,
  durationMs: 30_000,
  body: null,
  error: 'It took too long.',
};

interface Attempt {
  at: string;
  code: number | null;
  durationMs: number;
  body: string | null;
  error: string | null;
  errorCode: string | null;
}

const insertAttempt = (deliveryId: string, number: number, { durationMs, errorCode, ...attempt }: Attempt) =>
  insertRow(api.db, 'delivery_attempts', {
    ...attempt,
    delivery_id: deliveryId,
    number,
    duration_ms: durationMs,
    error_code: errorCode,
  });

describe('GET /webhook/{id}/deliveries', () => {
  it('answers 200: the most recent first, in pages, filtered', async () => {
    const dueAt = new Date(Date.now() + 60_000);
    const made = [
      await createDelivery(api.db, id, { status: 'delivered', response_code: 204, attempts: 1 }),
      await createDelivery(api.db, id, { type: 'link.deleted', status: 'held' }),
      await createDelivery(api.db, id, { attempts: 2, tries: 2, response_code: 503, due_at: dueAt }),
    ];
    const other = await createWebhook();
    await createDelivery(api.db, other.id);
    const { status, body } = await get('/deliveries');
    expect([status, body.count]).toEqual([200, 3]);
    expect(body.data.map((delivery: { id: string }) => delivery.id)).toEqual(made.map((row) => row.id).toReversed());
    expect(body.data[0]).toEqual({
      id: made[2]!.id,
      eventId: made[2]!.eventId,
      type: 'link.created',
      status: 'pending',
      responseCode: 503,
      error: null,
      errorCode: null,
      attempts: 2,
      createdAt: expect.any(String),
      nextAttemptAt: dueAt.toISOString(),
    });
    expect(body.data[1]).toMatchObject({ status: 'held', type: 'link.deleted', nextAttemptAt: null });
    expect(body.data[2]).toMatchObject({ status: 'delivered', responseCode: 204, nextAttemptAt: null });
    expect((await get('/deliveries?limit=1&page=1')).body).toMatchObject({ count: 3, data: [{ id: made[1]!.id }] });
    expect((await get('/deliveries?limit=0')).body).toEqual({ count: 3, data: [], nextCursor: null });
    expect((await get('/deliveries?status=delivered')).body).toMatchObject({ count: 1, data: [{ id: made[0]!.id }] });
    expect((await get('/deliveries?type=link.deleted')).body).toMatchObject({ count: 1, data: [{ id: made[1]!.id }] });
    expect((await get('/deliveries?type=link.deleted&status=failed')).body).toEqual({
      count: 0,
      data: [],
      nextCursor: null,
    });
  });

  it('filters by event, link, status of the last answer and time, each alone and together', async () => {
    const made = [
      await createDelivery(api.db, id, { status: 'delivered', response_code: 204 }),
      await createDelivery(api.db, id, { status: 'failed', response_code: 503 }),
    ];
    const linkId = uuidv7();
    await api.db.query('update events set link_id = $2 where id = $1', [made[0]!.eventId, linkId]);
    const [at, before] = ['2026-03-14T15:09:26.535Z', '2026-03-14T15:09:26.534Z'];
    await api.db.query('update deliveries set created_at = $2 where id = $1', [made[0]!.id, at]);
    const idsOf = async (query: string) => {
      const { status, body } = await get(`/deliveries?${query}`);
      expect(status).toBe(200);
      expect(body.count).toBe(body.data.length);
      return body.data.map((delivery: { id: string }) => delivery.id);
    };
    const [first, second] = [[made[0]!.id], [made[1]!.id]];
    expect(await idsOf(`eventId=${made[0]!.eventId}`)).toEqual(first);
    expect(await idsOf(`eventId=${uuidv7()}`)).toEqual([]);
    expect(await idsOf(`linkId=${linkId}`)).toEqual(first);
    expect(await idsOf(`linkId=${linkId}&eventId=${made[0]!.eventId}`)).toEqual(first);
    expect(await idsOf(`linkId=${linkId}&eventId=${made[1]!.eventId}`)).toEqual([]);
    expect(await idsOf('code=503')).toEqual(second);
    expect(await idsOf('code=500')).toEqual([]);
    expect(await idsOf(`until=${before}`)).toEqual([]);
    expect(await idsOf(`since=${before}&until=${at}`)).toEqual([]);
    expect(await idsOf(`since=${at}&until=2026-03-14T17:09:26.536%2B02:00`)).toEqual(first);
    expect(await idsOf('since=2026-04-01T00:00:00Z')).toEqual(second);
    expect(await idsOf(`since=${at}&code=204&status=delivered&linkId=${linkId}`)).toEqual(first);
  });

  it.each(['until=2026-03-14', 'code=99', 'code=600'])('answers 400 to %s', async (query) => {
    const { status, body } = await get(`/deliveries?${query}`);
    expect([status, body.issues[0].path]).toEqual([400, query.split('=')[0]]);
  });
});

describe('GET /webhook/{id}/deliveries/{deliveryId}', () => {
  it('answers 200 with the bytes that are sent and every attempt, the first one first', async () => {
    const made = await createDelivery(api.db, id, { attempts: 2, tries: 2, response_code: 500 });
    const attempts = [
      { ...unanswered, at: '2026-03-14T15:09:26.535Z', errorCode: 'timeout' },
      { at: '2026-03-14T15:09:38.000Z', code: 500, durationMs: 12, body: 'Oops', error: null, errorCode: null },
    ];
    for (const [index, attempt] of [...attempts.entries()].toReversed())
      await insertAttempt(made.id, index + 1, attempt);
    const { status, body } = await get(`/deliveries/${made.id}`);
    expect(status).toBe(200);
    const summary = (await get('/deliveries')).body.data[0];
    expect(summary).toMatchObject({ error: null, errorCode: null });
    const attemptsAhead = [summary.nextAttemptAt, ...Array.from({ length: 3 }, () => expect.any(String))];
    expect(body).toEqual({ ...summary, body: made.body, attempts, attemptsAhead });
  });

  it('tells why the last attempt got no answer, in the list too; attempts of earlier versions have no code of their own', async () => {
    const made = await createDelivery(api.db, id, { status: 'failed', attempts: 2, tries: 2 });
    await insertAttempt(made.id, 1, { ...unanswered, errorCode: 'timeout' });
    await insertAttempt(made.id, 2, { ...unanswered, error: 'The connection was refused.', errorCode: null });
    const shown = { responseCode: null, error: 'The connection was refused.', errorCode: 'other', nextAttemptAt: null };
    expect((await get('/deliveries')).body.data).toMatchObject([shown]);
    const { body } = await get(`/deliveries/${made.id}`);
    expect(body).toMatchObject({ ...shown, attempts: [{ errorCode: 'timeout' }, { errorCode: 'other' }] });
    expect(body.attemptsAhead).toEqual([]);
  });

  it('has all attempts ahead again once it is sent again, also while one is under way', async () => {
    const made = await createDelivery(api.db, id, { attempts: 3, tries: 3, claim: 'a pump' });
    expect((await get(`/deliveries/${made.id}`)).body.attemptsAhead).toHaveLength(3);
    await post(`/deliveries/${made.id}/redeliver`);
    expect((await get(`/deliveries/${made.id}`)).body.attemptsAhead).toHaveLength(6);
  });
});

describe('POST /webhook/{id}/deliveries/{deliveryId}/redeliver', () => {
  it.each(['failed', 'held', 'delivered', 'pending'])(
    'answers 200 and sends a %s one at once, with a whole series of tries',
    async (status) => {
      const dueAt = status === 'pending' ? new Date(Date.now() + 60_000) : null;
      const made = await createDelivery(api.db, id, {
        status,
        attempts: 6,
        tries: 6,
        response_code: 500,
        due_at: dueAt,
      });
      const wakes = api.wakes;
      const answer = await post(`/deliveries/${made.id}/redeliver`);
      expect(answer).toMatchObject({
        status: 200,
        body: { id: made.id, eventId: made.eventId, status: 'pending', attempts: 6, nextAttemptAt: expect.any(String) },
      });
      expect(await rowOf(made.id)).toMatchObject({ tries: 0, attempts: 6, is_urgent: true, is_due: true, claim: null });
      expect(await outboxOf(api.db, id)).toEqual(['webhook']);
      expect(api.wakes).toBe(wakes + 1);
    },
  );

  it.each(['pending', 'held'])(
    'leaves a %s delivery to the pump that holds it, due again after its attempt',
    async (status) => {
      const made = await createDelivery(api.db, id, { status, claim: 'a pump', tries: 3 });
      expect((await post(`/deliveries/${made.id}/redeliver`)).body.status).toBe('pending');
      expect(await rowOf(made.id)).toMatchObject({ status: 'pending', claim: 'a pump', tries: askedMeanwhile });
    },
  );

  it('answers 400 while the webhook is off', async () => {
    const made = await createDelivery(api.db, id, { status: 'failed' });
    await turnOff();
    expect(await post(`/deliveries/${made.id}/redeliver`)).toMatchObject(off);
    expect(await rowOf(made.id)).toMatchObject({ status: 'failed' });
  });
});

describe.each([
  ['GET', ''],
  ['POST', '/redeliver'],
] as const)('%s /webhook/{id}/deliveries/{deliveryId}%s', (method, rest) => {
  const ask = (webhookId: string, deliveryId: string, key = api.organization.key): Promise<Answer> =>
    api.call(method, `/webhook/${webhookId}/deliveries/${deliveryId}${rest}`, undefined, {
      headers: { 'x-api-key': key },
    });

  it("answers 404 to an unknown delivery and to another webhook's, 400 to a malformed id", async () => {
    const other = await createWebhook();
    const made = await createDelivery(api.db, other.id);
    expect((await ask(id, uuidv7())).body.code).toBe('NOT_FOUND');
    expect((await ask(id, made.id)).body.code).toBe('NOT_FOUND');
    expect((await ask(id, 'x')).body.issues).toMatchObject([{ path: 'deliveryId' }]);
    expect((await ask(uuidv7(), made.id)).body.code).toBe('NOT_FOUND');
    expect((await ask(other.id, made.id)).status).toBe(200);
  });

  it("answers 403 to another organization's webhook, whatever delivery is named, and to another's delivery", async () => {
    const made = await createDelivery(api.db, id);
    const { key } = await createOrganization(api.db);
    const draft = { url: 'https://hooks.example.com/own', events: ['link.created'] };
    const own = await api.call('POST', '/webhook', draft, { headers: { 'x-api-key': key } });
    expect(await ask(own.body.id, made.id, key)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await ask(own.body.id, uuidv7(), key)).status).toBe(404);
    for (const deliveryId of [made.id, uuidv7()]) {
      expect(await ask(id, deliveryId, key)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
  });
});
