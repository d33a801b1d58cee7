import { beforeEach, describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { createOrganization } from '#test/support/factories.ts';

const api = useTestApi();
let id: string;
let counter = 0;
beforeEach(async () => {
  api.organization = await createOrganization(api.db);
  const url = `https://hooks.example.com/outlook/${(counter += 1)}`;
  id = (await api.call('POST', '/webhook', { url, events: ['link.created'] })).body.id;
});

const outlook = () => api.call('GET', `/webhook/${id}/outlook`);
const set = (columns: string) => api.db.query(`update webhooks set ${columns} where id = $1`, [id]);

describe('GET /webhook/{id}/outlook', () => {
  it('answers 200, well, for a new webhook', async () => {
    expect(await outlook()).toMatchObject({
      status: 200,
      body: {
        state: 'well',
        waiting: 0,
        held: 0,
        nextAttemptAt: null,
        failingSince: null,
        nextProbeAt: null,
        failuresUntilOff: 18,
        lastFailure: null,
        oldSecretUntil: null,
        day: { delivered: 0, failed: 0 },
      },
    });
  });

  it('answers 200 with deliveries that wait, and those of the last 24 hours', async () => {
    const make = async (columns: string): Promise<void> => {
      const made = await createDelivery(api.db, id);
      await api.db.query(`update deliveries set ${columns} where id = $1`, [made.id]);
    };
    await make(`status = 'pending', due_at = '2099-01-01T00:00:00Z'`);
    await make(`status = 'pending', due_at = '2098-01-01T00:00:00Z', is_urgent = true`);
    await make(`status = 'delivered', due_at = null`);
    await make(`status = 'delivered', due_at = null, created_at = now() - interval '25 hours'`);
    await make(`status = 'failed', due_at = null`);
    await make(`status = 'held', due_at = null, created_at = now() - interval '25 hours'`);
    await set(`consecutive_failures = 2, last_failure_at = now(), last_failure_code = 503, last_failure_body = 'no'`);
    expect((await outlook()).body).toMatchObject({
      state: 'retrying',
      waiting: 2,
      held: 1,
      nextAttemptAt: '2098-01-01T00:00:00.000Z',
      failuresUntilOff: 16,
      lastFailure: { code: 503, error: null, body: 'no' },
      day: { delivered: 1, failed: 1 },
    });
  });

  it('answers 200 with the next probe of a failing webhook, and none while it is paused or off', async () => {
    await set(`consecutive_failures = 11, failing_since = now(), next_probe_at = '2099-01-01T00:00:00Z'`);
    expect((await outlook()).body).toMatchObject({
      state: 'failing',
      failingSince: expect.any(String),
      nextProbeAt: '2099-01-01T00:00:00.000Z',
      failuresUntilOff: 7,
    });
    await api.call('PATCH', `/webhook/${id}`, { isPaused: true });
    expect((await outlook()).body).toMatchObject({ state: 'paused', nextProbeAt: null });
    await api.call('PATCH', `/webhook/${id}`, { isActive: false });
    expect((await outlook()).body).toMatchObject({ state: 'off', failuresUntilOff: null, failingSince: null });
  });

  it('answers 200 with the time of the earlier secret after a rotation', async () => {
    await api.call('POST', `/webhook/${id}/rotate-secret`);
    const { oldSecretUntil } = (await outlook()).body;
    expect(Date.parse(oldSecretUntil) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await set(`previous_secret_until = now() - interval '1 second'`);
    expect((await outlook()).body.oldSecretUntil).toBeNull();
  });
});
