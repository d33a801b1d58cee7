import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWebRiskClient } from '#adapters/threat-scanners/web-risk-client.ts';
import { createWebRiskLists } from '#adapters/threat-scanners/web-risk-lists.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { HashPrefixList } from '#core/threats/hash-prefix-list.ts';
import { ThreatLists } from '#core/threats/threat-lists.ts';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';
import { createFakeWebRisk, type FakeWebRisk } from '#test/support/fake-web-risk.ts';

const hourMs = 3_600_000;
let fake: FakeWebRisk;
let lists: ThreatLists;
let scanner: ThreatScanner;

beforeEach(async () => {
  fake = await createFakeWebRisk();
  lists = new ThreatLists();
  const client = createWebRiskClient({ endpoint: fake.url, lookupTimeoutMs: 500 });
  scanner = createWebRiskLists({ client, lists, cleanForMs: 10 * hourMs });
  for (const type of threatTypes) hold(type, []);
});
afterEach(async () => {
  vi.useRealTimers();
  await scanner.close();
  await fake[Symbol.asyncDispose]();
});

/** Holds a list of the four-byte prefixes of some expressions. */
function hold(threatType: ThreatType, expressions: readonly string[], nextDiffAtMs = Date.now() + hourMs): void {
  const bytes = Buffer.concat(expressions.map((expression) => hash('sha256', expression, 'buffer').subarray(0, 4)));
  lists.set(threatType, { list: HashPrefixList.of([{ size: 4, bytes }]), version: 1, nextDiffAtMs });
}

describe('Web Risk by lists', () => {
  test('a URL without a prefix in the lists is clean, and nothing is asked', async () => {
    hold('MALWARE', ['bad.example/']);
    const { threatTypes: types, expiresAt } = await scanner.lookup('http://good.example/');
    expect(types).toEqual([]);
    expect(Math.round((expiresAt.getTime() - Date.now()) / hourMs)).toBe(10);
    expect(await scanner.lookUpLocally!('http://good.example/')).toMatchObject({ threatTypes: [] });
    expect([fake.lookups, fake.hashSearches]).toEqual([[], []]);
  });

  test('a URL below a dangerous expression is dangerous until its full hash expires', async () => {
    const expireTime = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 300_000);
    hold('SOCIAL_ENGINEERING', ['bad.example/a/']);
    fake.flagExpression('bad.example/a/', ['SOCIAL_ENGINEERING', 'MALWARE'], expireTime);
    const url = 'https://WWW.bad.example:8443/a/%62?c#d';
    expect(await scanner.lookUpLocally!(url)).toBeUndefined();
    expect(await scanner.lookup(url)).toEqual({
      threatTypes: ['MALWARE', 'SOCIAL_ENGINEERING'],
      expiresAt: expireTime,
    });
    expect(fake.hashSearches).toEqual([hash('sha256', 'bad.example/a/').slice(0, 8)]);
  });

  test('a URL that only shares a prefix is clean for as long as Web Risk says', async () => {
    hold('MALWARE', ['good.example/']);
    const until = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 600_000);
    fake.cleanUntil(until);
    expect(await scanner.lookup('http://good.example/')).toEqual({ threatTypes: [], expiresAt: until });
  });

  test('an answer about a prefix is kept until a part of it expires', async () => {
    hold('MALWARE', ['bad.example/']);
    fake.flagExpression('bad.example/', ['MALWARE']);
    for (const path of ['', 'a', 'b']) await scanner.lookup(`http://bad.example/${path}`);
    expect(fake.hashSearches).toHaveLength(1);
    // Only `Date` is faked: the sockets of the client keep their timers.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * hourMs });
    await scanner.lookup('http://bad.example/');
    expect(fake.hashSearches).toHaveLength(2);
  });

  test('lists that have missed their changes for two hours still find threats, but no URL is clean', async () => {
    hold('MALWARE', ['bad.example/'], Date.now() - 2 * hourMs - 60_000);
    fake.flagExpression('bad.example/', ['MALWARE']);
    expect((await scanner.lookup('http://bad.example/')).threatTypes).toEqual(['MALWARE']);
    expect(await scanner.lookUpLocally!('http://good.example/')).toBeUndefined();
    await expect(scanner.lookup('http://good.example/')).rejects.toMatchObject({
      reason: 'unavailable',
      message: 'threat lists: changes overdue for 121 min',
    });
  });

  test('without one of the lists no URL is clean', async () => {
    lists = new ThreatLists();
    const empty = createWebRiskLists({
      client: createWebRiskClient({ endpoint: fake.url }),
      lists,
      cleanForMs: hourMs,
    });
    for (const type of threatTypes.slice(1)) hold(type, []);
    expect(await empty.lookUpLocally!('http://good.example/')).toBeUndefined();
    await expect(empty.lookup('http://good.example/')).rejects.toThrow('threat lists: MALWARE not loaded');
    await empty.close();
  });

  test('no answer about a prefix is no verdict', async () => {
    hold('MALWARE', ['bad.example/']);
    fake.fault(() => ({ status: 503 }));
    await expect(scanner.lookup('http://bad.example/')).rejects.toMatchObject({ reason: 'unavailable' });
    fake.fault(() => 'hang');
    await expect(scanner.lookup('http://bad.example/')).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('a URL without a host is refused', async () => {
    await expect(scanner.lookup('http://')).rejects.toMatchObject({ reason: 'refused' });
  });
});
