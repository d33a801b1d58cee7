import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { anyEvent } from '#test/support/events.ts';
import { readClicks } from '#db/clicks/lines.ts';
import { fanOut, takeWakeTargets } from '#db/webhooks/fan-out.ts';
import { ingest, readOffset } from '#db/clicks/ingest.ts';
import { createRelayCounts } from '#relay/metrics.ts';
import type { RelayPart } from '#relay/loop.ts';
import { createWebhookRelay } from '#relay/webhooks.ts';
import { clickLine } from '#test/support/clicks.ts';
import { outboxOf } from '#test/support/deliveries.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { relayContext } from '#test/support/relay.ts';
import { createFixture } from './webhook-fixture.ts';
import { site } from '#test/support/site.ts';

const fixture = createFixture();
const { hook, write, queued, deliveries, eventIds, set } = fixture;

describe('an event is queued', () => {
  test('an event is queued only where its organization has an active webhook that subscribes to it', async () => {
    await hook();
    const others = [
      (await createOrganization(fixture.db)).id,
      (await createOrganization(fixture.db)).id,
      (await createOrganization(fixture.db)).id,
    ];
    await hook({ owner: others[0]!, events: ['link.deleted', 'link.clicked'] });
    await hook({ owner: others[1]!, isDeleted: true });
    const wanted = await write(3);
    await write(1, { type: 'link.updated' });
    for (const owner of others) await write(2, { owner });
    expect(await queued()).toEqual(wanted.toSorted());
  });

  test('an event is queued in the transaction of its change, or not at all', async () => {
    await hook();
    await expect(
      fixture.db.transaction(async (tx) => {
        await insertEvents(tx, [
          anyEvent('link.created', {
            organizationId: fixture.organization.id,
            linkId: null,
            data: {},
            now: new Date(),
          }),
        ]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await queued()).toEqual([]);
  });

  test('every click queues its event in the transaction that ingests the click', async () => {
    const webhookId = await hook({ events: ['link.clicked'] });
    const domain = await createDomain(fixture.db, fixture.organization.id);
    const link = await createLink(fixture.db, {
      organizationId: fixture.organization.id,
      domainId: domain.id,
      folderId: fixture.organization.folderId,
    });
    const owner = { organization: fixture.organization, domain, linkId: link.id };
    const client = await fixture.db.pool.connect();
    const journalId = randomUUID();
    try {
      const from = await readOffset(client, journalId);
      const { clicks } = await readClicks(Buffer.from(clickLine(owner) + clickLine(owner) + clickLine(owner)));
      await ingest(client, site, { journalId, from, to: { segment: 1, position: 300 }, clicks, rejected: 0 });
    } finally {
      client.release();
    }
    const clicks = await fixture.db.query<{ id: string }>('select id from clicks where link_id = $1', [link.id]);
    expect(await fanOut(fixture.db, 100)).toBe(3);
    expect(await eventIds(webhookId)).toEqual(clicks.rows.map(({ id }) => id).toSorted());
  });
});

describe('fan-out', () => {
  test('the fan-out inserts a delivery for each active, subscribed webhook and enqueues the webhook in the outbox', async () => {
    const [one, two] = [await hook(), await hook({ events: ['link.created', 'link.deleted'] })];
    const [other, off, deleted] = [
      await hook({ events: ['link.deleted'] }),
      await hook({ isActive: false }),
      await hook({ isDeleted: true }),
    ];
    const foreign = await hook({ owner: (await createOrganization(fixture.db)).id });
    const ids = await write(5);
    expect(await fanOut(fixture.db, 100)).toBe(5);
    for (const id of [one, two]) {
      expect(await eventIds(id)).toEqual(ids.toSorted());
      expect(await outboxOf(fixture.db, id)).toEqual(['webhook']);
    }
    for (const id of [other, off, deleted, foreign]) {
      expect(await deliveries(id)).toEqual([]);
      expect(await outboxOf(fixture.db, id)).toEqual([]);
    }
    expect(await queued()).toEqual([]);
  });

  test('a repeated fan-out of an event adds no delivery', async () => {
    const webhookId = await hook();
    const ids = await write(4);
    await fanOut(fixture.db, 100);
    await set(ids[0]!, 'delivered');
    const before = await deliveries(webhookId);
    await fixture.db.query('insert into event_queue select id from events');
    expect(await fanOut(fixture.db, 100)).toBe(4);
    expect(await deliveries(webhookId)).toEqual(before);
  });

  test('the fan-out takes the oldest events first and returns whether more wait', async () => {
    const webhookId = await hook();
    const ids = (await write(5)).toSorted();
    expect(await fanOut(fixture.db, 2)).toBe(2);
    expect(await eventIds(webhookId)).toEqual(ids.slice(0, 2));
    expect([await fanOut(fixture.db, 2), await fanOut(fixture.db, 2), await fanOut(fixture.db, 2)]).toEqual([2, 1, 0]);
  });
});

describe('the relay', () => {
  const relays: RelayPart[] = [];
  afterEach(async () => void (await Promise.all(relays.splice(0).map((relay) => relay.stop()))));

  /** A relay whose Temporal records the webhooks that it was asked to wake. */
  function start({
    wake = () => {},
    isReachable = () => true,
    isAway = () => false,
  }: {
    wake?: (webhookId: string) => void;
    isReachable?: () => boolean;
    isAway?: (error: unknown) => boolean;
  } = {}) {
    const woken: string[] = [];
    const counts = createRelayCounts();
    const errors: Error[] = [];
    const relay = createWebhookRelay(
      relayContext({
        db: fixture.db,
        startWorkflow: async ({ options: { workflowId } }) => {
          const webhookId = workflowId.replace('webhook/', '');
          wake(webhookId);
          woken.push(webhookId);
        },
        temporal: { isReachable, isAway, prepare: async () => {} },
        counts,
        onError: (error) => void errors.push(error),
        pollEveryMs: 20,
        reconcileEveryMs: 50,
      }),
    );
    relays.push(relay);
    return { relay, woken, counts, errors };
  }
  const away = new Error('away');
  const isAway = (error: unknown): boolean => error === away;

  test('two relays carry every event once, and wake each webhook that has one', async () => {
    const hooks = [await hook(), await hook(), await hook()];
    const both = [start(), start()];
    const ids: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      ids.push(...(await write(30)));
      for (const { relay } of both) relay.wake();
    }
    await eventually(
      async () => [(await queued()).length, (await fixture.db.query('select from outbox')).rowCount],
      ([events, wakes]) => events === 0 && wakes === 0,
    );
    for (const id of hooks) expect(await eventIds(id)).toEqual(ids.toSorted());
    expect(both.reduce((sum, { counts }) => sum + counts.events, 0)).toBe(300);
    expect(new Set(both.flatMap(({ woken }) => woken))).toEqual(new Set(hooks));
    expect(both.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('the relay turns events into deliveries while Temporal is unreachable, and wakes webhooks when Temporal is back', async () => {
    const webhookId = await hook();
    let isReachable = false;
    const { woken, relay } = start({ isReachable: () => isReachable });
    const ids = await write(3);
    relay.wake();
    await eventually(
      () => eventIds(webhookId),
      ({ length }) => length === ids.length,
    );
    expect(woken).toEqual([]);
    expect(await outboxOf(fixture.db, webhookId)).toEqual(['webhook']);
    isReachable = true;
    await eventually(
      () => woken,
      ({ length }) => length > 0,
    );
  });

  test(
    'a webhook row counts no attempt when Temporal becomes unreachable during the wake-up',
    { tags: 'slow' },
    async () => {
      const hooks = [await hook(), await hook(), await hook()];
      let isGone = true;
      const { woken, counts } = start({
        wake: () => {
          if (isGone) throw away;
        },
        isAway,
      });
      await write(1);
      await eventually(
        () => counts.failures,
        (failures) => failures > 0,
      );
      const { rows } = await fixture.db.query<{ attempts: number }>('select max(attempts) as attempts from outbox');
      expect(rows[0]!.attempts).toBeLessThanOrEqual(1);
      isGone = false;
      await eventually(
        () => new Set(woken).size,
        (size) => size === hooks.length,
      );
    },
  );

  test('the relay keeps the row and the error of a webhook that cannot be woken, and wakes the others', async () => {
    const [poison, other] = [await hook(), await hook()];
    const { woken } = start({
      wake: (id) => {
        if (id === poison) throw new Error('no such queue');
      },
    });
    await write(1);
    await eventually(
      async () => (await fixture.db.query('select last_error from outbox where subject_id = $1', [poison])).rows,
      (rows) => (rows[0] as { last_error: string | null } | undefined)?.last_error === 'no such queue',
    );
    await eventually(
      () => woken,
      (ids) => ids.includes(other),
    );
    expect(woken).not.toContain(poison);
  });

  test('the relay wakes due and unseen webhooks again when a wake-up was lost', async () => {
    const [lost, looked, off, waiting] = [await hook(), await hook(), await hook(), await hook()];
    await write(2);
    await fanOut(fixture.db, 100);
    await fixture.db.query('delete from outbox');
    await fixture.db.query(`update deliveries set due_at = now() - interval '11 seconds'`);
    await fixture.db.query(
      `update deliveries set due_at = now() + interval '1 hour', tries = 1 where webhook_id = $1`,
      [waiting],
    );
    await fixture.db.query(`update webhooks set looked_at = now() where id = $1`, [looked]);
    await fixture.db.query(`update webhooks set looked_at = now() - interval '31 seconds' where id = $1`, [lost]);
    await fixture.db.query(`update webhooks set is_active = false where id = $1`, [off]);
    const { woken, counts } = start();
    await eventually(
      () => woken,
      ({ length }) => length > 0,
    );
    expect(new Set(woken)).toEqual(new Set([lost]));
    expect(counts.requeued).toBeGreaterThan(0);
  });

  test('the relay does not wake a failing webhook before its next probe is due', async () => {
    const [early, late] = [await hook(), await hook()];
    await write(1);
    await fanOut(fixture.db, 100);
    await fixture.db.query('delete from outbox');
    await fixture.db.query(`update deliveries set due_at = now() - interval '1 minute'`);
    await fixture.db.query(
      `update webhooks set consecutive_failures = 12,
         next_probe_at = now() + case when id = $1 then interval '1 hour' else interval '-11 seconds' end`,
      [early],
    );
    const { woken } = start();
    await eventually(
      () => woken,
      (ids) => ids.includes(late),
    );
    expect(woken).not.toContain(early);
  });
});

describe('webhooks whose workflows are woken', () => {
  const isWoken = async (id: string) => (await takeWakeTargets(fixture.db, [id])).length === 1;

  test('a failing webhook is not woken by each event, but by its probe, by a change and by a delivery that is asked for', async () => {
    const id = await hook();
    await write(3);
    await fanOut(fixture.db, 10);
    const set = (columns: string) => fixture.db.query(`update webhooks set ${columns} where id = $1`, [id]);
    await set(`consecutive_failures = 10, looked_at = now(), next_probe_at = now() + interval '1 hour'`);
    expect(await isWoken(id)).toBe(false);
    await set(`updated_at = now() + interval '1 second'`);
    expect(await isWoken(id)).toBe(true);
    await set(`updated_at = looked_at - interval '1 second', next_probe_at = now() - interval '1 second'`);
    expect(await isWoken(id)).toBe(true);
    await set(`next_probe_at = now() + interval '1 hour'`);
    await fixture.db.query(
      `update deliveries set is_urgent = true where id = (select min(id::text)::uuid from deliveries where webhook_id = $1)`,
      [id],
    );
    expect(await isWoken(id)).toBe(true);
  });
});
