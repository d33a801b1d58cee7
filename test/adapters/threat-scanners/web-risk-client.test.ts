import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWebRiskClient, type WebRiskClient } from '#adapters/threat-scanners/web-risk-client.ts';
import { HashPrefixList } from '#core/threats/hash-prefix-list.ts';
import { ThreatDiffError } from '#core/threats/threat-diff-error.ts';
import { createFakeWebRisk, type FakeWebRisk } from '#test/support/fake-web-risk.ts';

let fake: FakeWebRisk;
let client: WebRiskClient;

beforeEach(async () => {
  fake = await createFakeWebRisk();
  client = createWebRiskClient({ endpoint: fake.url, diffTimeoutMs: 1_000, maxDiffBytes: 4_096 });
});
afterEach(async () => {
  await client.close();
  await fake[Symbol.asyncDispose]();
});

const none = Buffer.alloc(0);
const long = '01'.repeat(32);

describe.each([false, true])('changes of a list, compressed: %s', (isCompressed) => {
  beforeEach(() => fake.lists.compress(isCompressed));

  test('all of a list comes first, then what was added and removed', async () => {
    fake.lists.set('MALWARE', ['00000001', '01020304', 'fffffffe', long]);
    const whole = await client.computeDiff('MALWARE', none);
    expect(whole.isReset).toBe(true);
    const first = HashPrefixList.empty.apply(whole);
    expect([first.entries, first.byteLength]).toEqual([4, 44]);
    expect(first.checksum()).toEqual(whole.checksum);

    fake.lists.set('MALWARE', ['00000001', '01020305', 'aabbccdd', 'fffffffe']);
    const diff = await client.computeDiff('MALWARE', whole.versionToken);
    expect(diff.isReset).toBe(false);
    expect([...diff.removals]).toEqual([1, 2]);
    expect(first.apply(diff).checksum()).toEqual(diff.checksum);
    expect(fake.lists.requests).toEqual([
      { threatType: 'MALWARE', versionToken: '' },
      { threatType: 'MALWARE', versionToken: 'version-1?>' },
    ]);
  });

  test('a list may be empty', async () => {
    const whole = await client.computeDiff('UNWANTED_SOFTWARE', none);
    expect(HashPrefixList.empty.apply(whole).checksum()).toEqual(whole.checksum);
  });
});

test('the time of the next changes is what Web Risk recommends, where it does', async () => {
  const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 5_000);
  fake.lists.nextDiff(at);
  expect((await client.computeDiff('MALWARE', none)).nextDiffAt).toEqual(at);
  fake.lists.nextDiff(undefined);
  expect((await client.computeDiff('MALWARE', none)).nextDiffAt).toBeUndefined();
});

test('full hashes come with their threats and expiry', async () => {
  const expireTime = new Date(1_900_000_000_000);
  fake.flagExpression('bad.example/', ['SOCIAL_ENGINEERING', 'MALWARE'], expireTime);
  fake.cleanUntil(new Date(1_800_000_000_000));
  // Its Base64 has characters in which the web-safe alphabet differs.
  const other = await client.searchHashes(Buffer.from('fbefffff', 'hex'));
  expect(other).toEqual({ threats: new Map(), cleanUntilMs: 1_800_000_000_000 });
  const found = await client.searchHashes(hash('sha256', 'bad.example/', 'buffer'));
  expect([...found.threats.values()]).toEqual([
    { threatTypes: ['MALWARE', 'SOCIAL_ENGINEERING'], expiresAtMs: 1_900_000_000_000 },
  ]);
  expect(fake.hashSearches[0]).toBe('fbefffff');
});

describe('what is no change', () => {
  test.each([
    [{ responseType: 'RESPONSE_TYPE_UNSPECIFIED' }],
    [
      {
        responseType: 'RESET',
        additions: { riceHashes: { firstValue: '1', riceParameter: 5, entryCount: 9, encodedData: '' } },
      },
    ],
    [{ responseType: 'DIFF', removals: { rawIndices: { indices: [-1] } } }],
  ])('a malformed answer is refused: %j', async (body) => {
    fake.lists.fault(() => body);
    await expect(client.computeDiff('MALWARE', none)).rejects.toThrow(ThreatDiffError);
  });

  test('an answer that is too large is given up', async () => {
    fake.lists.set(
      'MALWARE',
      Array.from({ length: 2_000 }, (_, index) => index.toString(16).padStart(8, '0')),
    );
    await expect(client.computeDiff('MALWARE', none)).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('a service that hangs or fails gives no answer', { tags: 'slow' }, async () => {
    fake.lists.fault(() => 'hang');
    await expect(client.computeDiff('MALWARE', none)).rejects.toMatchObject({ reason: 'unavailable' });
    fake.lists.fault(() => ({ status: 429, retryAfterSeconds: 40 }));
    await expect(client.computeDiff('MALWARE', none)).rejects.toMatchObject({ reason: 'exhausted' });
  });
});
