// @module-tag slow

import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attempt } from '#activities/webhooks/send.ts';
import { eventually } from '#test/support/eventually.ts';
import { answered, createFixture, minuteMs, sender } from './pump-fixture.ts';
import { isNight } from '#test/support/night.ts';

const { add, ask, fail, notify, pump, renew, rows, hook, nextDue, change, changeOrganization, broken } =
  createFixture();

// So long that the time between two statements does not matter.
const longGapsMs = [5, 10, 15, 20, 25].map((minutes) => minutes * minuteMs);

describe('a pump whose endpoint answers', () => {
  test('sends every due delivery once, ten at a time', async () => {
    const ids = await add(120);
    const { send, sent, most } = sender(() => answered(200));
    expect(await pump(send)).toEqual({ delivered: 120, failed: 0 });
    expect(sent.toSorted()).toEqual(ids.toSorted());
    expect(most()).toBe(10);
    expect((await rows()).every(({ status, claim }) => status === 'delivered' && claim === null)).toBe(true);
  });

  test('a delivery that a member requests again is sent before pending deliveries', async () => {
    await add(30);
    const asked = Promise.withResolvers<void>();
    const { send, sent } = sender(() => asked.promise.then(() => answered(200)));
    const pumping = pump(send);
    await eventually(
      () => sent.length,
      (count) => count === 10,
    );
    const [last] = await add(1);
    await ask(last!);
    notify();
    await eventually(rows, (all) => all.every(({ claim }) => claim !== null));
    asked.resolve();
    await pumping;
    expect(sent[10]).toBe(last);
  });

  test('goes on with nine requests while one hangs', async () => {
    await add(60);
    const hung = Promise.withResolvers<void>();
    const { send, sent } = sender((_, count) => (count === 1 ? hung.promise.then(() => answered(200)) : answered(200)));
    const pumping = pump(send);
    await eventually(rows, (all) => all.filter(({ status }) => status === 'delivered').length === 59);
    hung.resolve();
    await pumping;
    expect(sent).toHaveLength(60);
  });

  test('sends deliveries that arrive meanwhile, or leaves them due', async () => {
    await add(20);
    const { send } = sender(async (_, count) => {
      if (count === 5) await add(3);
      return answered(200);
    });
    await pump(send);
    const { nextInMs, waiting } = await nextDue();
    expect(waiting === 0 ? nextInMs : nextInMs! <= 1).toBe(waiting === 0 ? null : true);
  });
});

describe('a pump whose attempts fail', () => {
  test('stops at ten failures in a row, although it holds more deliveries', async () => {
    await add(40);
    const { send, sent } = sender(() => answered(500));
    expect(await pump(send)).toEqual({ delivered: 0, failed: 10 });
    expect(sent).toHaveLength(10);
    expect(await hook()).toMatchObject({ failures: 10, isActive: true });
    expect((await rows()).filter(({ tries }) => tries === 0).every(({ claim }) => claim === null)).toBe(true);
  });

  test('has no more requests open than its share, which may change meanwhile', async () => {
    await add(30);
    let share = 2;
    const inFirstHalf: number[] = [];
    const { send, most } = sender((_, count) => {
      if (count === 15) share = 4;
      if (count < 15) inFirstHalf.push(most());
      return answered(200);
    });
    await pump(send, { readShare: () => share });
    expect([Math.max(...inFirstHalf), most()]).toEqual([2, 4]);
  });

  test('leaves each delivery due after the gap of its own tries', async () => {
    await add(1);
    await add(1, { tries: 2 });
    await add(1, { tries: 5 });
    await pump(sender(() => answered(500)).send, { gapsMs: longGapsMs });
    const [first, third, last] = await rows();
    expect(first!.inMs).toBeGreaterThan(4 * minuteMs);
    expect(first!.inMs).toBeLessThanOrEqual(5 * minuteMs);
    expect(third!.inMs).toBeGreaterThan(14 * minuteMs);
    expect(third!.inMs).toBeLessThanOrEqual(15 * minuteMs);
    expect(last).toMatchObject({ status: 'failed', tries: 6, inMs: null });
  });

  test('counts retries and first attempts together: the tenth failure finds no other attempt under way', async () => {
    await add(20);
    await add(20, { tries: 1 });
    let open = 0;
    const openAfter: number[] = [];
    const { send } = sender(async () => {
      open += 1;
      await setTimeout(20 + 20 * open);
      open -= 1;
      openAfter.push(open);
      return answered(500);
    });
    expect(await pump(send, { gapsMs: longGapsMs, probeDelaysMs: [minuteMs] })).toEqual({ delivered: 0, failed: 10 });
    expect(openAfter.at(-1)).toBe(0);
    expect(await hook()).toMatchObject({ failures: 10, isActive: true });
  });
});

test(
  'whatever is answered, and however late, failures leave room for few enough requests, and each delivery is recorded once',
  { tags: 'slow' },
  async () => {
    const answer = fc.record({ isWell: fc.boolean(), afterMs: fc.nat({ max: 20 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 60 }), async (answers) => {
        await renew();
        await add(answers.length);
        let [open, failures] = [0, 0];
        const { send, sent } = sender(async (_, count) => {
          const { isWell, afterMs } = answers[count - 1]!;
          open += 1;
          expect(open).toBeLessThanOrEqual(10 - failures);
          await setTimeout(afterMs);
          open -= 1;
          failures = isWell ? 0 : failures + 1;
          return answered(isWell ? 200 : 500);
        });
        const { delivered, failed } = await pump(send, { gapsMs: longGapsMs, probeDelaysMs: longGapsMs });
        expect(delivered + failed).toBe(failures < 10 ? answers.length : sent.length);
        expect(new Set(sent).size).toBe(sent.length);
        const all = await rows();
        expect(all.filter(({ status }) => status === 'delivered')).toHaveLength(delivered);
        expect(all.filter(({ attempts }) => attempts === 1)).toHaveLength(sent.length);
        expect(await hook()).toMatchObject({ failures, isActive: true });
      }),
      { numRuns: isNight ? 15 : 5 },
    );
  },
);

describe('a pump whose webhook fails', () => {
  test('sends neither first attempts nor retries before the next probe is due', async () => {
    await fail(10, minuteMs);
    await add(5);
    await add(2, { tries: 1 });
    await add(1, { urgent: true });
    const { send, sent } = sender(() => answered(200));
    await pump(send);
    expect(sent).toEqual([]);
    const { nextInMs, waiting } = await nextDue();
    expect(waiting).toBe(8);
    expect(nextInMs).toBeGreaterThan(minuteMs / 2);
    expect(nextInMs).toBeLessThanOrEqual(minuteMs);
    expect((await rows()).every(({ claim }) => claim === null)).toBe(true);
  });

  test('sends the delivery that was due first as the probe, and the next one after the next gap', async () => {
    await fail(10, -1);
    const [retry] = await add(1, { tries: 2 });
    await add(5);
    const { send, sent } = sender(() => answered(500));
    await pump(send, { probeDelaysMs: longGapsMs });
    expect(sent).toEqual([retry]);
    const { failures, probeInMs } = await hook();
    expect(failures).toBe(11);
    expect(probeInMs).toBeGreaterThan(9 * minuteMs);
    expect(probeInMs).toBeLessThanOrEqual(10 * minuteMs);
    expect((await nextDue()).nextInMs).toBeGreaterThan(9 * minuteMs);
  });

  test('sends a delivery that was asked for again as the next probe, at once and alone', async () => {
    await fail(12, minuteMs);
    const ids = await add(5);
    const [asked] = await add(1);
    await ask(asked!);
    const { send, sent } = sender(() => answered(500));
    await pump(send, { probeDelaysMs: longGapsMs });
    expect(sent).toEqual([asked]);
    expect(ids).not.toContain(asked);
    expect(await hook()).toMatchObject({ failures: 13 });
  });

  test('sends every due delivery after a successful probe', async () => {
    await fail(12, -1);
    const ids = await add(30);
    const { send, sent } = sender(() => answered(200));
    await pump(send);
    expect(sent.toSorted()).toEqual(ids.toSorted());
    expect(await hook()).toMatchObject({ failures: 0, probeInMs: null });
  });
});

describe('a pump', () => {
  test('takes over once the lease of a dead pump is over, whose late records count for nothing', async () => {
    await add(1);
    const late = Promise.withResolvers<Attempt>();
    const draining = new AbortController();
    const dead = pump(
      () => {
        draining.abort();
        return late.promise;
      },
      { draining: draining.signal },
    );
    await eventually(
      () => draining.signal.aborted,
      (hasBegun) => hasBegun,
    );
    await change(`looked_at = now() - interval '37 seconds'`);
    await pump(sender(() => answered(200)).send);
    late.resolve(answered(500));
    await dead;
    expect(await rows()).toMatchObject([{ status: 'delivered', tries: 1 }]);
    expect(await hook()).toMatchObject({ failures: 0 });
  });

  test('waits for the requests of an earlier pump, so that ten at most are open', async () => {
    await add(40);
    const answer = Promise.withResolvers<void>();
    const { send, sent, most } = sender(() => answer.promise.then(() => answered(200)));
    const draining = new AbortController();
    const earlier = pump(send, { draining: draining.signal });
    await eventually(
      () => sent.length,
      (count) => count === 10,
    );
    const later = pump(send);
    await setTimeout(400);
    draining.abort();
    await setTimeout(400);
    expect(sent).toHaveLength(10);
    answer.resolve();
    expect(await earlier).toEqual({ delivered: 10, failed: 0 });
    expect(await later).toEqual({ delivered: 30, failed: 0 });
    expect(most()).toBe(10);
  });

  test('releases deliveries that it has not sent when its worker stops', async () => {
    await add(30);
    const cancelled = new AbortController();
    const { send } = sender((_, count) => {
      if (count >= 10) cancelled.abort();
      return { ...answered(500), isGivenUp: true };
    });
    expect(await pump(send, { cancelled: cancelled.signal })).toEqual({ delivered: 0, failed: 0 });
    expect(
      (await rows()).every(({ status, tries, claim }) => status === 'pending' && tries === 0 && claim === null),
    ).toBe(true);
  });

  test('begins nothing new when its worker drains', async () => {
    await add(30);
    const draining = new AbortController();
    const { send, sent } = sender((_, count) => {
      if (count === 3) draining.abort();
      return answered(200);
    });
    await pump(send, { draining: draining.signal });
    expect(sent.length).toBeLessThan(20);
    expect((await rows()).filter(({ status }) => status === 'delivered')).toHaveLength(sent.length);
  });

  test('claims nothing more after its time', async () => {
    await add(30);
    const { send, sent } = sender(async () => {
      await setTimeout(60);
      return answered(200);
    });
    await pump(send, { pumpForMs: 100 });
    expect(sent.length).toBeLessThanOrEqual(20);
    expect((await nextDue()).nextInMs).toBe(0);
  });

  test.each([
    ['of a suspended organization', 'suspended_at = now()'],
    ['of an organization that is no longer premium', `plan = 'free'`],
  ])('sends nothing to a webhook %s, and leaves its deliveries pending', async (_, change) => {
    await add(3);
    await changeOrganization(change);
    expect(await pump(sender(() => answered(200)).send)).toEqual({ delivered: 0, failed: 0 });
    expect(await nextDue()).toMatchObject({ state: 'paused', waiting: 3, nextInMs: null });
  });

  test('fails with the error of the database, and the next pump sends everything', async () => {
    await add(3);
    await expect(pump(sender(() => answered(200)).send, { sql: broken('attempts_record') })).rejects.toThrow('away');
    expect(await pump(sender(() => answered(200)).send)).toEqual({ delivered: 3, failed: 0 });
  });
});
