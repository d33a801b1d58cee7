import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { recoverWebhook } from '#commands/webhooks/sends.ts';
import type { Database } from '#db/connection/database.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { fanOut } from '#db/webhooks/fan-out.ts';
import { forgetOldEvents } from '#db/webhooks/deliveries/retention.ts';
import { recoverSome } from '#db/webhooks/deliveries/recoveries.ts';
import { outboxOf } from '#test/support/deliveries.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createFixture } from './webhook-fixture.ts';

const fixture = createFixture();
const { hook, write, queued, deliveries, eventIds, set } = fixture;

describe('recover', () => {
  const asker = 'staff';
  const ask = (webhookId: string, since: Date) =>
    emOf(fixture.db).transactional((em) => recoverWebhook(em, asker, webhookId, since, new Date()));
  const all = async (limit: number): Promise<number> => {
    for (let rounds = 1; ; rounds += 1) {
      const more = await recoverSome(emOf(fixture.db), limit);
      const left = await fixture.db.query('select from webhook_recoveries');
      if (left.rowCount === 0) return rounds;
      expect(more).toBe(true);
      expect(rounds).toBeLessThan(100);
    }
  };
  const ago = (ms: number): Date => new Date(Date.now() - ms);

  test('recovery sends held and failed deliveries and the events of the time off, but no delivered event', async () => {
    const webhookId = await hook();
    const ids = await write(8);
    await fanOut(fixture.db, 100);
    const [delivered, held, failed, pending] = ids;
    await set(delivered!, 'delivered');
    await set(held!, 'held');
    await set(failed!, 'failed');
    await fixture.db.query('update deliveries set tries = 6, attempts = 6 where event_id = $1', [failed]);
    await fixture.db.query('update deliveries set tries = 2, attempts = 2 where event_id = $1', [pending]);
    await fixture.db.query('update webhooks set is_active = false where id = $1', [webhookId]);
    const missed = await write(4);
    await write(2, { type: 'link.deleted' });
    await fanOut(fixture.db, 100);
    expect(await deliveries(webhookId)).toHaveLength(8);
    await fixture.db.query('update webhooks set is_active = true where id = $1', [webhookId]);
    await fixture.db.query('truncate outbox');

    await ask(webhookId, ago(60_000));
    await all(1_000);
    const rows = await deliveries(webhookId);
    expect(rows.map(({ eventId }) => eventId)).toEqual([...ids, ...missed].toSorted());
    const of = (id: string | undefined) => rows.find(({ eventId }) => eventId === id);
    expect(of(delivered)).toMatchObject({ status: 'delivered' });
    expect(of(held)).toMatchObject({ status: 'pending', tries: 0 });
    expect(of(failed)).toMatchObject({ status: 'pending', tries: 0 });
    // Pending deliveries stay as they are.
    expect(of(pending)).toMatchObject({ status: 'pending', tries: 2 });
    expect(await outboxOf(fixture.db, webhookId)).toEqual(['webhook']);
  });

  test('recovery sends no held or failed delivery of a type or link that the webhook no longer gets (6.13)', async () => {
    const webhookId = await hook();
    const [held, failed] = await write(2);
    const [wanted] = await write(1, { type: 'link.updated' });
    await fanOut(fixture.db, 100);
    await set(held!, 'held');
    await set(failed!, 'failed');
    await set(wanted!, 'held');
    await fixture.db.query(`update webhooks set events = '{link.updated}' where id = $1`, [webhookId]);
    await ask(webhookId, ago(60_000));
    await all(100);
    const statuses = async () => (await deliveries(webhookId)).map(({ status }) => status);
    expect(await statuses()).toEqual(['held', 'failed', 'pending']);

    await set(wanted!, 'failed');
    await fixture.db.query('update webhooks set scope_folder_ids = $2 where id = $1', [webhookId, [uuidv7()]]);
    await ask(webhookId, ago(60_000));
    await all(100);
    expect(await statuses()).toEqual(['held', 'failed', 'failed']);
  });

  test('recovery sends the held test events of the webhook, and none of another one (6.13)', async () => {
    const [webhookId, other] = [await hook(), await hook()];
    const ids = await write(2, { type: 'webhook.test' });
    for (const [index, owner] of [webhookId, other].entries())
      await fixture.db.query(
        `insert into deliveries (id, webhook_id, event_id, type, status, due_at)
         values (new_id(), $1, $2, 'webhook.test', 'held', now())`,
        [owner, ids[index]],
      );
    await ask(webhookId, ago(60_000));
    await all(100);
    expect(await deliveries(webhookId)).toMatchObject([{ eventId: ids[0], status: 'pending' }]);
    expect(await deliveries(other)).toMatchObject([{ eventId: ids[1], status: 'held' }]);
  });

  test('recovery leaves out a delivered event that was redelivered in vain (6.5)', async () => {
    const webhookId = await hook();
    const ids = await write(2);
    await fanOut(fixture.db, 100);
    for (const id of ids) await set(id, 'failed');
    await fixture.db.query(
      `insert into delivery_attempts (delivery_id, number, at, code, duration_ms)
       select d.id, n, now(), case when n = 1 and d.event_id = $1 then 204 else 500 end, 1
       from deliveries d cross join generate_series(1, 2) as n`,
      [ids[0]],
    );
    await ask(webhookId, ago(60_000));
    await all(100);
    expect((await deliveries(webhookId)).map(({ status }) => status)).toEqual(['failed', 'pending']);
  });

  test('another process continues an interrupted recovery at its last committed batch', async () => {
    const webhookId = await hook({ isActive: false });
    const ids = await write(25);
    await fixture.db.query('update webhooks set is_active = true where id = $1', [webhookId]);
    await ask(webhookId, ago(60_000));
    expect(await recoverSome(emOf(fixture.db), 10)).toBe(true);
    expect(await eventIds(webhookId)).toHaveLength(10);
    // The continuing process dies in the middle of a batch: none of that batch is stored.
    const broken: Database = {
      ...fixture.db,
      transaction: (work) =>
        fixture.db.transaction(async (tx) => {
          await work(tx);
          throw new Error('died');
        }),
    };
    await expect(recoverSome(createEntityManager(broken), 10)).rejects.toThrow('died');
    expect(await eventIds(webhookId)).toHaveLength(10);
    await all(10);
    expect(await eventIds(webhookId)).toEqual(ids.toSorted());
  });

  test('two recoveries at once send each event once', async () => {
    const webhookId = await hook({ isActive: false });
    const ids = await write(60);
    await fixture.db.query('update webhooks set is_active = true where id = $1', [webhookId]);
    await ask(webhookId, ago(60_000));
    for (let left = true; left;) {
      left = (await Promise.all([recoverSome(emOf(fixture.db), 7), recoverSome(emOf(fixture.db), 7)])).some(Boolean);
    }
    expect(await eventIds(webhookId)).toEqual(ids.toSorted());
  });

  test('recovery sends no event from before its start time or from before the webhook was created', async () => {
    const webhookId = await hook({ isActive: false });
    await write(3, { agoMs: 10 * 60_000 });
    const wanted = await write(2, { agoMs: 60_000 });
    await write(3, { agoMs: 2 * 60 * 60_000 });
    await fixture.db.query('update webhooks set is_active = true where id = $1', [webhookId]);
    await ask(webhookId, ago(5 * 60_000));
    await all(100);
    expect(await eventIds(webhookId)).toEqual(wanted.toSorted());
    await ask(webhookId, ago(24 * 60 * 60_000));
    await all(100);
    expect(await eventIds(webhookId)).toHaveLength(5);
  });

  test('recovery ends when the webhook is turned off or deleted', async () => {
    const webhookId = await hook();
    await write(3);
    await fixture.db.query('truncate event_queue');
    await ask(webhookId, ago(60_000));
    await fixture.db.query('update webhooks set is_active = false where id = $1', [webhookId]);
    expect(await recoverSome(emOf(fixture.db), 10)).toBe(true);
    expect(await deliveries(webhookId)).toEqual([]);
    expect(await recoverSome(emOf(fixture.db), 10)).toBe(false);
  });
});

describe('cleanup of webhook data older than 30 days', () => {
  const dayMs = 24 * 60 * 60 * 1_000;
  const idAt = (agoDays: number): string => uuidv7({ msecs: Date.now() - agoDays * dayMs });
  /** Inserts an event, a delivery and an attempt, each some days old. */
  async function put(webhookId: string, eventDays: number, deliveryDays: number, status = 'delivered') {
    const [eventId, id] = [idAt(eventDays), idAt(deliveryDays)];
    await fixture.db.query(
      `insert into events (id, organization_id, type, body) values ($1, $2, 'link.created', '{}')`,
      [eventId, fixture.organization.id],
    );
    await fixture.db.query(
      `insert into deliveries (id, webhook_id, event_id, type, status, attempts) values ($1, $2, $3, 'link.created', $4, 1)`,
      [id, webhookId, eventId, status],
    );
    await fixture.db.query(
      `insert into delivery_attempts (delivery_id, number, at, code, duration_ms) values ($1, 1, now(), 200, 1)`,
      [id],
    );
    return { eventId, id };
  }
  const left = async () => ({
    events: (await fixture.db.query<{ id: string }>('select id from events order by id')).rows.map(({ id }) => id),
    deliveries: (await fixture.db.query<{ id: string }>('select id from deliveries order by id')).rows.map(
      ({ id }) => id,
    ),
    attempts: (
      await fixture.db.query<{ id: string }>('select delivery_id as id from delivery_attempts order by 1')
    ).rows.map(({ id }) => id),
  });
  const forget = async (limit: number): Promise<number> => {
    let rounds = 1;
    while (await forgetOldEvents(emOf(fixture.db), limit)) rounds += 1;
    // An event is deleted after the last of its deliveries.
    await forgetOldEvents(emOf(fixture.db), limit);
    return rounds;
  };

  test('cleanup deletes events, their queue rows, deliveries and attempts older than 30 days, and keeps younger ones', async () => {
    const webhookId = await hook();
    await fixture.db.query('truncate event_queue');
    await put(webhookId, 31, 31);
    await put(webhookId, 30.01, 30.01, 'held');
    await fixture.db.query('insert into event_queue select id from events on conflict do nothing');
    const kept = [await put(webhookId, 29.9, 29.9), await put(webhookId, 0, 0, 'pending')];
    await forget(1_000);
    const ids = kept.map(({ id }) => id).toSorted();
    expect(await left()).toEqual({
      events: kept.map(({ eventId }) => eventId).toSorted(),
      deliveries: ids,
      attempts: ids,
    });
    expect(await queued()).toEqual(kept.map(({ eventId }) => eventId).toSorted());
  });

  test('cleanup deletes in small batches', async () => {
    const webhookId = await hook();
    for (let index = 0; index < 25; index += 1) await put(webhookId, 40, 40);
    expect(await forget(10)).toBeGreaterThan(2);
    expect(await left()).toEqual({ events: [], deliveries: [], attempts: [] });
  });

  test('an old event stays as long as a younger delivery needs its bytes', async () => {
    const webhookId = await hook();
    const { eventId, id } = await put(webhookId, 31, 2, 'pending');
    await forget(10);
    expect(await left()).toEqual({ events: [eventId], deliveries: [id], attempts: [id] });
  });
});
