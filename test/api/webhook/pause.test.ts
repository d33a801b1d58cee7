import { beforeEach, describe, expect, it } from 'vitest';
import { fanOut, requeueOverdueWebhooks, takeWakeTargets } from '#db/webhooks/fan-out.ts';
import { readNextDue } from '#db/webhooks/deliveries/sending.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { claimAsPump, outboxOf } from '#test/support/deliveries.ts';
import { createOrganization } from '#test/support/factories.ts';

const api = useTestApi();
let counter = 0;
let id: string;
beforeEach(async () => {
  api.organization = await createOrganization(api.db);
  await api.db.query('truncate event_queue, outbox');
  id = (await create({})).body.id;
});

const create = (fields: object): Promise<Answer> => {
  const url = `https://hooks.example.com/pause/${(counter += 1)}`;
  return api.call('POST', '/webhook', { url, events: ['link.created'], ...fields });
};
const patch = (body: object): Promise<Answer> => api.call('PATCH', `/webhook/${id}`, body);
const link = () => api.call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' } });
const claim = (name: string) => claimAsPump(api.db, { webhookId: id, pumpId: name, limit: 10 });

describe('a webhook that is paused', () => {
  it('keeps its deliveries, which are sent once it is resumed', async () => {
    expect((await patch({ isPaused: true })).body).toMatchObject({ isPaused: true, isActive: true });
    await link();
    await fanOut(api.db, 100);
    expect(await claim('one')).toMatchObject({ webhook: { state: 'paused' }, rows: [] });
    expect(await readNextDue(api.db, id)).toMatchObject({ state: 'paused', nextInMs: null, waiting: 1 });
    const { body } = await api.call('GET', `/webhook/${id}/deliveries`);
    expect(body).toMatchObject({ count: 1, data: [{ status: 'pending', attempts: 0 }] });

    await api.db.query('truncate outbox');
    expect((await patch({ isPaused: false })).body).toMatchObject({ isPaused: false });
    expect(await outboxOf(api.db, id)).toEqual(['webhook']);
    expect(await readNextDue(api.db, id)).toMatchObject({ state: 'on', nextInMs: 0, waiting: 1 });
    expect((await claim('one'))!.rows).toHaveLength(1);
  });

  it('is woken by its changes, and not by events or as overdue', async () => {
    const wakes = async () => (await takeWakeTargets(api.db, [id])).length;
    await patch({ isPaused: true });
    expect(await wakes()).toBe(1);
    await api.db.query(`update webhooks set looked_at = updated_at + interval '1 second' where id = $1`, [id]);
    expect(await wakes()).toBe(0);
    await link();
    await fanOut(api.db, 100);
    await api.db.query(`update deliveries set due_at = now() - interval '1 hour' where webhook_id = $1`, [id]);
    await api.db.query(
      `update webhooks set looked_at = now() - interval '1 hour', updated_at = now() - interval '2 hours' where id = $1`,
      [id],
    );
    await api.db.query('truncate outbox');
    await requeueOverdueWebhooks(api.db, { overdueMs: 0, unseenMs: 0, limit: 10 });
    expect(await outboxOf(api.db, id)).toEqual([]);
    expect(await wakes()).toBe(0);
    await patch({ isPaused: false });
    expect(await wakes()).toBe(1);
    await patch({ isPaused: true });
    await api.db.query(`update webhooks set looked_at = now() + interval '1 hour' where id = $1`, [id]);
    await api.call('DELETE', `/webhook/${id}`);
    expect(await wakes()).toBe(1);
  });

  it('takes tests and redeliveries, which wait too', async () => {
    await patch({ isPaused: true });
    const { status, body } = await api.call('POST', `/webhook/${id}/test`);
    expect([status, body.status]).toEqual([200, 'pending']);
    expect((await claim('one'))!.rows).toEqual([]);
    expect((await api.call('POST', `/webhook/${id}/deliveries/${body.id}/redeliver`)).status).toBe(200);
    await patch({ isPaused: false });
    expect((await claim('one'))!.rows).toHaveLength(1);
  });

  it('stays paused when it is turned off and on, and repeats of a pause change nothing', async () => {
    const { body } = await patch({ isPaused: true });
    expect((await patch({ isPaused: true })).body.updatedAt).toBe(body.updatedAt);
    await patch({ isActive: false });
    expect((await patch({ isActive: true })).body).toMatchObject({ isActive: true, isPaused: true });
    expect(await patch({ isPaused: null })).toMatchObject({ status: 400, body: { issues: [{ path: 'isPaused' }] } });
  });
});

describe('the rate of a webhook', () => {
  it('is set, shown, told to its pumps, and lifted by null', async () => {
    const { body } = await create({ maxPerSecond: 20 });
    expect(body.maxPerSecond).toBe(20);
    id = body.id;
    expect((await claim('one'))!.webhook.maxPerSecond).toBe(20);
    const changed = await patch({ maxPerSecond: 1_000 });
    expect(changed.body.maxPerSecond).toBe(1_000);
    expect((await patch({ maxPerSecond: 1_000 })).body.updatedAt).toBe(changed.body.updatedAt);
    expect((await patch({ maxPerSecond: null })).body.maxPerSecond).toBeNull();
    expect((await claim('one'))!.webhook.maxPerSecond).toBeNull();
  });

  it.each([0, 1_001, 1.5, '20', true])('is refused with 400 where it is %j', async (maxPerSecond) => {
    const refused = { status: 400, body: { issues: [{ path: 'maxPerSecond' }] } };
    expect(await create({ maxPerSecond })).toMatchObject(refused);
    expect(await patch({ maxPerSecond })).toMatchObject(refused);
  });
});
