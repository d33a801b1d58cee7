// @module-tag slow

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Endpoint, Send } from '#activities/webhooks/send.ts';
import type { SendingWebhook } from '#db/webhooks/deliveries/sending.ts';
import { eventually } from '#test/support/eventually.ts';
import { answered, createFixture, minuteMs, sender } from './pump-fixture.ts';
import { byDay } from '#test/support/night.ts';

const { add, fail, ask, notify, pump, rows, change, changeOrganization } = createFixture();

const changes: [string, () => Promise<unknown>][] = [
  ['turned off', () => change('is_active = false')],
  ['paused', () => change('is_paused = true')],
  ['deleted', () => change('deleted_at = now()')],
  ['one of a suspended organization', () => changeOrganization('suspended_at = now()')],
  ['one of an organization that is no longer premium', () => changeOrganization(`plan = 'free'`)],
];
test.each(byDay(changes, 1))(
  'a pump sends nothing more to a webhook that is meanwhile %s, however slow its answers are',
  async (_, happen) => {
    await add(40);
    const happened = Promise.withResolvers<void>();
    const { send, sent } = sender(async (_id, count) => {
      if (count === 10) await happen().then(() => happened.resolve());
      await happened.promise;
      await setTimeout(500);
      return answered(200);
    });
    // Requests under way end by themselves.
    expect(await pump(send)).toEqual({ delivered: 10, failed: 0 });
    expect(sent).toHaveLength(10);
    expect((await rows()).every(({ claim }) => claim === null)).toBe(true);
  },
);

test('a pump calls the new address of a webhook whose address changes meanwhile', async () => {
  await add(20);
  const called: string[] = [];
  const changed = Promise.withResolvers<void>();
  const send: Send = async ({ url }) => {
    called.push(url);
    if (called.length === 10) await change(`url = 'https://b.example/'`).then(() => changed.resolve());
    await changed.promise;
    await setTimeout(500);
    return answered(200);
  };
  const open = ({ url }: { url: string }): Endpoint => ({
    url,
    secrets: { current: '', previous: undefined },
    headers: [],
  });
  await pump(send, { open });
  expect(called.slice(0, 10)).toEqual(Array(10).fill('https://a.example/'));
  expect(called.slice(10)).toEqual(Array(10).fill('https://b.example/'));
});

test.each([
  [5, 'failed'],
  [1, 'held'],
])('the delivery of the last failure, after %d tries of its own before, is %s', async (tries, status) => {
  await fail(17, -1);
  await add(1, { tries });
  await pump(sender(() => answered(500)).send);
  expect(await rows()).toMatchObject([{ status, tries: tries + 1, claim: null }]);
});

test.each([
  [200, 'delivered'],
  [500, 'pending'],
])(
  'a delivery that is asked for while it is being sent goes out once more after that, then stands as after a %d',
  async (code, status) => {
    const [id] = await add(1);
    const draining = new AbortController();
    const { send, sent } = sender(async (_id, count) => {
      if (count === 1) await ask(id!);
      else draining.abort();
      return answered(code);
    });
    await pump(send, { lingerMs: minuteMs, gapsMs: [minuteMs, minuteMs], draining: draining.signal });
    expect(sent).toEqual([id, id]);
    expect(await rows()).toMatchObject([{ status, tries: 1, attempts: 2, claim: null }]);
  },
);

test('an idle pump claims as soon as it is notified', async () => {
  const ids = await add(1);
  const draining = new AbortController();
  const { send, sent } = sender(() => answered(200));
  const pumping = pump(send, { lingerMs: minuteMs, draining: draining.signal });
  const delivered = (count: number) =>
    eventually(rows, (all) => all.filter(({ status }) => status === 'delivered').length === count);
  await delivered(1);
  const sendOne = async (): Promise<number> => {
    const startedAt = performance.now();
    ids.push(...(await add(1)));
    notify();
    await delivered(ids.length);
    return performance.now() - startedAt;
  };
  // Without notifications a pump claims again a second after its last attempt: no round would be faster.
  await eventually(sendOne, (tookMs) => tookMs < 900);
  expect(sent).toEqual(ids);
  draining.abort();
  await pumping;
});

test('a delivery that is asked for again while a pump holds it has no tries after its release', async () => {
  const [id] = await add(1);
  const cancelled = new AbortController();
  const { send } = sender(async () => {
    await ask(id!);
    cancelled.abort();
    return { ...answered(500), isGivenUp: true };
  });
  await pump(send, { cancelled: cancelled.signal });
  expect(await rows()).toMatchObject([{ status: 'pending', tries: 0, attempts: 0, claim: null }]);
});

test('a previous secret signs, beside the present one, until its time is over', async () => {
  const previous: (string | undefined)[] = [];
  const open = ({ previousSecretSealed }: SendingWebhook): Endpoint => {
    previous.push(previousSecretSealed?.toString());
    return { url: 'https://a.example/', secrets: { current: '', previous: undefined }, headers: [] };
  };
  for (const until of [`now() + interval '1 minute'`, 'now()']) {
    await change(`previous_secret_sealed = 'before', previous_secret_until = ${until}`);
    await add(1);
    await pump(sender(() => answered(200)).send, { open });
  }
  expect(new Set(previous)).toEqual(new Set(['before', undefined]));
  expect(previous[0]).toBe('before');
  expect(previous.at(-1)).toBeUndefined();
});
