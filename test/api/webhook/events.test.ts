import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { clickEventsLockClass, clickEventsLockEpochS } from '#db/clicks/events.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { type DeliveredType } from '#core/webhooks/events.ts';
import { anyEvent } from '#test/support/events.ts';
import { createOrganization } from '#test/support/factories.ts';

const api = useTestApi();
beforeEach(async () => {
  api.organization = await createOrganization(api.db);
});

const get = (query = ''): Promise<Answer> => api.call('GET', `/events${query}`);
const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id);
const after = ({ body }: Answer): string => `?cursor=${body.nextCursor}`;

/** Inserts an event of the organization that happened `ago` seconds back. @returns its id. */
async function happen(
  ago: number,
  type: DeliveredType = 'link.created',
  tx = api.db as Parameters<typeof insertEvents>[0],
) {
  const { id: organizationId } = api.organization;
  const event = anyEvent(type, { organizationId, linkId: null, data: { link: { ago } }, now: secondsAgo(ago) });
  await insertEvents(tx, [event]);
  return event.id;
}

describe('GET /events', () => {
  it('answers 200: the earliest first, with the body of webhooks, in pages that continue', async () => {
    const ids = [await happen(90), await happen(80, 'link.deleted'), await happen(70)];
    const tie = secondsAgo(60);
    const [low, high] = [uuidv7(), uuidv7()];
    await api.db.query(
      `insert into events (id, organization_id, type, body, created_at)
       select id, $1, 'link.updated', json_build_object('id', id, 'type', 'link.updated', 'createdAt', $4::text, 'data', '{}'::json), $3
       from unnest($2::uuid[]) id`,
      [api.organization.id, [high, low], tie, tie.toISOString()],
    );
    const all = await get();
    expect(all.status).toBe(200);
    expect(idsOf(all)).toEqual([...ids, low, high]);
    const createdAt = expect.any(String);
    expect(all.body.data[0]).toEqual({ id: ids[0], type: 'link.created', createdAt, data: { link: { ago: 90 } } });
    expect(all.body.hasMore).toBe(false);
    const first = await get('?limit=4');
    expect([idsOf(first), first.body.hasMore]).toEqual([[...ids, low], true]);
    const second = await get(`${after(first)}&limit=4`);
    expect([idsOf(second), second.body.hasMore]).toEqual([[high], false]);
  });

  it('shows an event that comes later to the cursor of an empty page, and shows it once', async () => {
    await happen(90);
    const first = await get();
    const empty = await get(after(first));
    expect(idsOf(empty)).toEqual([]);
    const { rows } = await api.db.query<{ at: Date }>(`select now() - interval '10 seconds' as at`);
    // What happens from now on is later than what the empty page saw.
    await api.db.query(
      `insert into events (id, organization_id, type, body, created_at) values ($1, $2, 'link.created', $3, $4)`,
      [
        uuidv7(),
        api.organization.id,
        JSON.stringify({ id: uuidv7(), type: 'link.created', createdAt: rows[0]!.at.toISOString(), data: {} }),
        rows[0]!.at,
      ],
    );
    await api.db.query('select pg_sleep(0.01)');
    const next = await get(after(empty));
    expect(idsOf(next)).toHaveLength(1);
    expect(idsOf(await get(after(next)))).toEqual([]);
  });

  it('filters by type and since, and never lists test events', async () => {
    const [created, deleted] = [await happen(90), await happen(80, 'link.deleted')];
    await happen(85, 'webhook.test');
    expect(idsOf(await get('?type=link.deleted'))).toEqual([deleted]);
    expect(idsOf(await get(`?since=${secondsAgo(86).toISOString()}`))).toEqual([deleted]);
    expect(idsOf(await get())).toEqual([created, deleted]);
  });

  it('lists no event that happened after the begin of a write that is under way, nor one of the last ten seconds', async () => {
    const old = await happen(30);
    await happen(1);
    let during: Answer | undefined;
    await api.db.transaction(async (tx) => {
      await happen(0, 'link.created', tx);
      // As if the transaction had begun a minute ago, by an edge whose role hides it.
      const { rows } = await tx.query<{ second: number }>('select floor(extract(epoch from now()))::int8 as second');
      await tx.query('select pg_advisory_xact_lock_shared($1, $2)', [
        clickEventsLockClass,
        rows[0]!.second - 60 - clickEventsLockEpochS,
      ]);
      during = await get();
    });
    expect(idsOf(during!)).toEqual([]);
    expect(idsOf(await get(after(during!)))).toEqual([old]);
  });

  it.each(['cursor=x', 'since=x', 'type=webhook.test'])('answers 400 to %s', async (query) => {
    const { status, body } = await get(`?${query}`);
    expect([status, body.issues[0].path]).toEqual([400, query.split('=')[0]]);
  });

  it('answers 400 to a since in the future', async () => {
    const { status, body } = await get(`?since=${secondsAgo(-60).toISOString()}`);
    expect([status, body.issues]).toEqual([400, [{ path: 'since', message: 'must not be in the future' }]]);
  });

  it('answers 400 to a cursor with since', async () => {
    const { body } = await get();
    const answer = await get(`?cursor=${body.nextCursor}&since=2026-03-14T15:09:26Z`);
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'since']);
  });
});
