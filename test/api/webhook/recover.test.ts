import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';

let id: string;
let createdAt: string;
let counter = 0;
const api = useTestApi();
beforeEach(async () => {
  ({ id, createdAt } = await createWebhook());
});

async function createWebhook() {
  const url = `https://hooks.example.com/deliveries/${(counter += 1)}`;
  return (await api.call('POST', '/webhook', { url, events: ['link.created'] })).body;
}

const post = (path: string, body?: object): Promise<Answer> => api.call('POST', `/webhook/${id}${path}`, body);
const turnOff = () => api.call('PATCH', `/webhook/${id}`, { isActive: false });
const off = {
  status: 400,
  body: { issues: [{ path: 'isActive', message: 'The webhook is off: turn it on first.' }] },
};

describe('POST /webhook/{id}/recover', () => {
  const dayMs = 24 * 60 * 60 * 1_000;
  const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
  const age = (ms: number) =>
    api.db.query(`update webhooks set created_at = created_at - $2 * interval '1 ms' where id = $1`, [id, ms]);
  const recoveries = async () =>
    (await api.db.query('select since, until, after_at, after_id from webhook_recoveries where webhook_id = $1', [id]))
      .rows;

  it('answers 200 with the range, and asks for it', async () => {
    await age(40 * dayMs);
    const since = ago(29 * dayMs);
    const wakes = api.wakes;
    const { status, body } = await post('/recover', { since });
    expect(status).toBe(200);
    expect(body).toEqual({ since, until: expect.any(String) });
    expect(Math.abs(Date.parse(body.until) - Date.now())).toBeLessThan(60_000);
    expect(await recoveries()).toEqual([
      {
        since: new Date(since),
        until: new Date(body.until),
        after_at: new Date(since),
        after_id: '00000000-0000-0000-0000-000000000000',
      },
    ]);
    expect(api.wakes).toBe(wakes + 1);
  });

  it('reads a moment with an offset', async () => {
    await age(40 * dayMs);
    const at = new Date(Date.now() - 5 * dayMs);
    const local = new Date(at.getTime() + 7_200_000).toISOString().replace('Z', '+02:00');
    expect((await post('/recover', { since: local })).body.since).toBe(at.toISOString());
  });

  it('begins where the webhook does', async () => {
    const { body } = await post('/recover', { since: ago(dayMs) });
    expect(body.since).toBe(createdAt);
    expect(await recoveries()).toMatchObject([{ since: new Date(createdAt), after_at: new Date(createdAt) }]);
  });

  it('joins the range of a recovery under way with the new one, and begins again', async () => {
    await age(40 * dayMs);
    const first = (await post('/recover', { since: ago(10 * dayMs) })).body;
    await api.db.query('update webhook_recoveries set after_at = now(), after_id = $2 where webhook_id = $1', [
      id,
      uuidv7(),
    ]);
    const second = (await post('/recover', { since: ago(5 * dayMs) })).body;
    expect(second.since).toBe(first.since);
    expect(second.until >= first.until).toBe(true);
    expect(await recoveries()).toEqual([
      {
        since: new Date(first.since),
        until: new Date(second.until),
        after_at: new Date(first.since),
        after_id: '00000000-0000-0000-0000-000000000000',
      },
    ]);
    const third = ago(20 * dayMs);
    expect((await post('/recover', { since: third })).body.since).toBe(third);
  });

  it.each([
    ['too far back', () => ({ since: ago(30 * dayMs + 60_000) }), 'since'],
    ['in the future', () => ({ since: ago(-60_000) }), 'since'],
  ])('answers 400 to a since that is %s', async (_name, body, path) => {
    expect(await post('/recover', body())).toMatchObject({ status: 400, body: { issues: [{ path }] } });
    expect(await recoveries()).toEqual([]);
  });

  it('answers 400 while the webhook is off', async () => {
    await turnOff();
    expect(await post('/recover', { since: ago(1_000) })).toMatchObject(off);
  });
});
