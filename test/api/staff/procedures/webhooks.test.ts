import { beforeAll, describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createDelivery, outboxOf } from '#test/support/deliveries.ts';
import { createOrganization } from '#test/support/factories.ts';
import { refusalOf, useStaff } from '#test/support/tools.ts';
import { insertRow } from '#test/support/rows.ts';

let organizationId: string;
const api = useOwnTestApi();
const staff = useStaff(api);
beforeAll(async () => {
  organizationId = (await createOrganization(api.db)).id;
});

const unknownId = '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10';

async function createWebhook(url: string, { isActive = true } = {}): Promise<string> {
  const off = { is_active: false, consecutive_failures: 18, disabled_at: new Date(), disabled_reason: 'gone' };
  const { id } = await insertRow(api.db, 'webhooks', {
    organization_id: organizationId,
    url,
    url_key: url,
    ...(isActive ? {} : off),
  });
  return id;
}

describe('webhooks', () => {
  it('webhooks.list shows no secrets, finds by address, and pages', async () => {
    const ids = [await createWebhook('https://one.example/hook'), await createWebhook('https://two.example/hook')];
    const { tools } = staff;
    const page = await tools.webhooks.list.query({ organizationId, limit: 1 });
    const next = await tools.webhooks.list.query({ organizationId, limit: 1, cursor: page.nextCursor! });
    expect([...page.items, ...next.items].map(({ id }) => id)).toEqual(ids.toReversed());
    const { items } = await tools.webhooks.list.query({ search: 'ONE.example' });
    expect(items).toMatchObject([{ id: ids[0], organizationId, url: 'https://one.example/hook', isActive: true }]);
    expect(JSON.stringify(items)).not.toMatch(/secret|sealed/);
  });

  it('webhooks.list shows the name of each organization, searches by it, and can keep failing webhooks alone', async () => {
    const id = await createWebhook('https://failing.example/hook');
    await api.db.query('update webhooks set consecutive_failures = 10 where id = $1', [id]);
    const { name } = (
      await api.db.query<{ name: string }>('select name from organizations where id = $1', [organizationId])
    ).rows[0]!;
    const { list } = staff.tools.webhooks;
    const { items } = await list.query({ search: name, isFailing: true });
    expect(items).toMatchObject([{ id, organizationName: name, consecutiveFailures: 10 }]);
    const { items: others } = await list.query({ organizationId, isFailing: false });
    expect(others.map((webhook) => webhook.id)).not.toContain(id);
  });

  it('webhooks.enable turns a webhook on as if it had never failed', async () => {
    const id = await createWebhook('https://gone.example/', { isActive: false });
    const wakes = api.wakes;
    expect(await staff.tools.webhooks.enable.mutate({ id })).toMatchObject({
      id,
      isActive: true,
      consecutiveFailures: 0,
      disabledAt: null,
      disabledReason: null,
    });
    expect(await outboxOf(api.db, id)).toEqual(['webhook']);
    expect(api.wakes).toBe(wakes + 1);
    expect((await refusalOf(staff.tools.webhooks.enable.mutate({ id: unknownId }))).error.code).toBe('NOT_FOUND');
  });
});

describe('what a webhook has missed', () => {
  it('webhooks.recover sends missed events from a moment on, where the webhook is on', async () => {
    const id = await createWebhook('https://missed.example/');
    const { recover } = staff.tools.webhooks;
    const since = new Date(Date.now() - 60_000).toISOString();
    const wakes = api.wakes;
    const range = await recover.mutate({ id, since });
    expect(Date.parse(range.until)).toBeGreaterThan(Date.parse(since));
    expect(api.wakes).toBe(wakes + 1);
    const { rows } = await api.db.query('select since, until from webhook_recoveries where webhook_id = $1', [id]);
    expect(rows).toEqual([{ since: new Date(range.since), until: new Date(range.until) }]);
    const refusals: [string, string, object][] = [
      [id, 'yesterday', { code: 'VALIDATION_ERROR', issues: [{ path: 'since' }] }],
      [id, '2020-01-01T00:00:00Z', { code: 'VALIDATION_ERROR', issues: [{ path: 'since' }] }],
      [unknownId, since, { code: 'NOT_FOUND' }],
    ];
    for (const [webhookId, from, error] of refusals) {
      expect((await refusalOf(recover.mutate({ id: webhookId, since: from }))).error).toMatchObject(error);
    }
  });
});

describe('deliveries', () => {
  it('a delivery is shown with its body and each attempt’s status, answer or error', async () => {
    const id = await createWebhook('https://attempts.example/');
    const { id: deliveryId, eventId } = await createDelivery(api.db, id, { status: 'failed', attempts: 2 });
    for (const attempt of [
      { number: 1, at: '2026-01-01T00:00:00Z', code: 503, duration_ms: 12, body: 'busy' },
      { number: 2, at: '2026-01-01T00:00:12Z', duration_ms: 30_000, error: 'The connection was refused.' },
    ])
      await insertRow(api.db, 'delivery_attempts', { delivery_id: deliveryId, ...attempt });
    const { delivery } = staff.tools.webhooks;
    expect(await delivery.query({ id, deliveryId })).toMatchObject({
      id: deliveryId,
      eventId,
      body: expect.any(String) as string,
      attempts: [
        { at: '2026-01-01T00:00:00.000Z', code: 503, durationMs: 12, body: 'busy', error: null },
        { code: null, durationMs: 30_000, body: null, error: 'The connection was refused.' },
      ],
    });
    const other = await createWebhook('https://other-attempts.example/');
    for (const input of [
      { id: other, deliveryId },
      { id, deliveryId: unknownId },
      { id: unknownId, deliveryId },
    ]) {
      expect((await refusalOf(delivery.query(input))).error.code).toBe('NOT_FOUND');
    }
  });

  it('deliveries are listed, the most recent first, by status, type or event', async () => {
    const id = await createWebhook('https://list.example/');
    const made = [
      await createDelivery(api.db, id, { status: 'failed', response_code: 500, attempts: 6 }),
      await createDelivery(api.db, id, { status: 'delivered', response_code: 204, attempts: 1 }),
      await createDelivery(api.db, id),
    ];
    const { deliveries } = staff.tools.webhooks;
    const page = await deliveries.query({ id, limit: 2 });
    const next = await deliveries.query({ id, limit: 2, cursor: page.nextCursor! });
    const all = [...page.items, ...next.items];
    expect(all.map((item) => item.id)).toEqual(made.map((item) => item.id).toReversed());
    expect(all.at(-1)).toMatchObject({ status: 'failed', responseCode: 500, attempts: 6, nextAttemptAt: null });
    const find = async (search: string) =>
      (await deliveries.query({ id, search })).items.map((item) => made.findIndex((one) => one.id === item.id));
    expect(await find('Failed')).toEqual([0]);
    expect(await find('link.created')).toEqual([2, 1, 0]);
    expect(await find(made[1]!.eventId)).toEqual([1]);
    expect((await deliveries.query({ id, organizationId: api.organization.id })).items).toEqual([]);
    expect((await deliveries.query({ id, organizationId })).items).toHaveLength(3);
    expect((await refusalOf(deliveries.query({ id: unknownId }))).error.code).toBe('NOT_FOUND');
    expect((await refusalOf(deliveries.query({} as never))).error.issues).toMatchObject([{ path: 'id' }]);
  });

  it('a delivery is sent again where its webhook is on', async () => {
    const id = await createWebhook('https://again.example/');
    const { id: deliveryId } = await createDelivery(api.db, id, { status: 'failed', attempts: 6, tries: 6 });
    const { redeliver } = staff.tools.webhooks;
    expect(await redeliver.mutate({ id, deliveryId })).toMatchObject({
      id: deliveryId,
      status: 'pending',
      attempts: 6,
    });
    expect(await outboxOf(api.db, id)).toEqual(['webhook']);
    const elsewhere = await createWebhook('https://elsewhere.example/');
    expect((await refusalOf(redeliver.mutate({ id: elsewhere, deliveryId }))).error.code).toBe('NOT_FOUND');
    const off = await createWebhook('https://off.example/', { isActive: false });
    const held = await createDelivery(api.db, off, { status: 'held' });
    const refusal = await refusalOf(redeliver.mutate({ id: off, deliveryId: held.id }));
    expect(refusal.error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'isActive' }] });
  });
});
