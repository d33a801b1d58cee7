import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../activities/pump/send.ts';
import { answered, createFixture, minuteMs, sender } from './pump-fixture.ts';

const { add, fail, pump, rows, hook, outlook, changeOrganization, broken } = createFixture();

// So long that nothing of the time between two statements matters.
const longGapsMs = [5, 10, 15, 20, 25].map((minutes) => minutes * minuteMs);

describe('while an endpoint answers', () => {
  test('all that is due is sent once, ten at a time', async () => {
    const ids = await add(120);
    const { send, sent, most } = sender(() => answered(200));
    expect(await pump(send)).toEqual({ delivered: 120, failed: 0 });
    expect(sent.toSorted()).toEqual(ids.toSorted());
    expect(most()).toBe(10);
    expect((await rows()).every(({ status, claim }) => status === 'delivered' && claim === null)).toBe(true);
  });

  test('what comes while it works is sent too, or is said to be due', async () => {
    await add(20);
    const { send } = sender(async (_, count) => {
      if (count === 5) await add(3);
      return answered(200);
    });
    await pump(send);
    const { nextInMs, waiting } = await outlook();
    expect(waiting === 0 ? nextInMs : nextInMs! <= 1).toBe(waiting === 0 ? null : true);
  });
});

describe('failures', () => {
  test('of first attempts are ten at most, although more were at hand', async () => {
    await add(40);
    const { send, sent } = sender(() => answered(500));
    expect(await pump(send)).toEqual({ delivered: 0, failed: 10 });
    expect(sent).toHaveLength(10);
    expect(await hook()).toMatchObject({ failures: 10, isActive: true, probes: 0 });
    expect((await rows()).filter(({ tries }) => tries === 0).every(({ claim }) => claim === null)).toBe(true);
  });

  test('are forgotten at a success, and then ten go out at once again', async () => {
    await add(60);
    const { send, most } = sender((_, count) => answered(count <= 9 ? 500 : 200));
    await pump(send);
    expect(await hook()).toMatchObject({ failures: 0 });
    expect(most()).toBe(10);
    expect((await rows()).filter(({ status }) => status === 'delivered')).toHaveLength(51);
  });

  test('wait for the gap of their own tries', async () => {
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

  test('turn the webhook off at the eighteenth, and what is under way ends by itself', async () => {
    await fail(17, minuteMs);
    const ids = await add(10, { tries: 1 });
    const { send } = sender(async (id) => {
      await setTimeout(id === ids[0] ? 1 : 250);
      return answered(id === ids[9] ? 200 : 500);
    });
    expect(await pump(send)).toEqual({ delivered: 1, failed: 9 });
    expect(await hook()).toMatchObject({ failures: 18, isActive: false });
    const statuses = (await rows()).map(({ status }) => status);
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 'held'), 'delivered']);
  });
});

describe('while an endpoint fails', () => {
  test('retries and what was asked for go out, first attempts do not', async () => {
    await fail(10, minuteMs);
    const waiting = await add(5);
    const retries = await add(2, { tries: 1 });
    const urgent = await add(1, { urgent: true });
    const { send, sent } = sender(() => answered(500));
    await pump(send);
    expect(sent.toSorted()).toEqual([...retries, ...urgent].toSorted());
    expect(await hook()).toMatchObject({ failures: 13, probes: 0 });
    const ahead = await outlook();
    expect(ahead).toMatchObject({ waiting: 8 });
    expect(ahead.nextInMs).toBeLessThanOrEqual(600);
    expect((await rows()).filter(({ id }) => waiting.includes(id)).every(({ tries }) => tries === 0)).toBe(true);
  });

  test('one first attempt goes out as a probe, and the next waits for the next gap of the schedule', async () => {
    await fail(10, -1);
    await add(5);
    const { send, sent } = sender(() => answered(500));
    await pump(send, { gapsMs: longGapsMs });
    expect(sent).toHaveLength(1);
    const { probes, probeInMs } = await hook();
    expect(probes).toBe(1);
    expect(probeInMs).toBeGreaterThan(9 * minuteMs);
    expect(probeInMs).toBeLessThanOrEqual(10 * minuteMs);
    expect((await outlook()).nextInMs).toBeLessThanOrEqual(5 * minuteMs);
  });

  test('further probes of the same pump wait for their gaps too', async () => {
    await fail(10, -1);
    await add(5);
    const at: number[] = [];
    const draining = new AbortController();
    const { send } = sender((_, count) => {
      at.push(performance.now());
      if (count === 3) draining.abort();
      return { ...answered(500), retryAfterMs: minuteMs };
    });
    await pump(send, { lingerMs: minuteMs, draining: draining.signal });
    expect(at).toHaveLength(3);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(595);
    expect(at[2]! - at[1]!).toBeGreaterThanOrEqual(895);
  });

  test('the tenth failure sets the first probe one gap ahead', async () => {
    await fail(9, null);
    await add(3);
    await pump(sender(() => answered(500)).send, { gapsMs: longGapsMs });
    const { failures, probeInMs } = await hook();
    expect(failures).toBe(10);
    expect(probeInMs).toBeGreaterThan(4 * minuteMs);
    expect(probeInMs).toBeLessThanOrEqual(5 * minuteMs);
  });

  test('a probe that succeeds lets all of them go', async () => {
    await fail(12, -1, 3);
    const ids = await add(30);
    const { send, sent } = sender(() => answered(200));
    await pump(send);
    expect(sent.toSorted()).toEqual(ids.toSorted());
    expect(await hook()).toMatchObject({ failures: 0, probes: 0, probeInMs: null });
  });
});

describe('a pump', () => {
  test('takes over from a dead one, whose late records count for nothing', async () => {
    await add(1);
    const late = Promise.withResolvers<Attempt>();
    const begun = Promise.withResolvers<void>();
    const dead = pump(() => {
      begun.resolve();
      return late.promise;
    });
    await begun.promise;
    await pump(sender(() => answered(200)).send);
    late.resolve(answered(500));
    await dead;
    expect(await rows()).toMatchObject([{ status: 'delivered', tries: 1 }]);
    expect(await hook()).toMatchObject({ failures: 0 });
  });

  test('gives back what it does not send when its worker stops', async () => {
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

  test('stops taking after its time', async () => {
    await add(30);
    const { send, sent } = sender(async () => {
      await setTimeout(60);
      return answered(200);
    });
    await pump(send, { pumpForMs: 100 });
    expect(sent.length).toBeLessThanOrEqual(20);
    expect((await outlook()).nextInMs).toBe(0);
  });

  test.each([
    ['of a suspended organization', 'suspended_at = now()'],
    ['of an organization that is no longer premium', `plan = 'free'`],
  ])('sends nothing %s, and keeps it', async (_, change) => {
    await add(3);
    await changeOrganization(change);
    expect(await pump(sender(() => answered(200)).send)).toEqual({ delivered: 0, failed: 0 });
    expect(await outlook()).toMatchObject({ state: 'paused', waiting: 3, nextInMs: null });
  });

  test('fails with what the database said, and the next one goes on', async () => {
    await add(3);
    await expect(pump(sender(() => answered(200)).send, { sql: broken() })).rejects.toThrow('away');
    expect(await pump(sender(() => answered(200)).send)).toEqual({ delivered: 3, failed: 0 });
  });
});
