import { beforeEach, describe, expect, test } from 'vitest';
import { ScanError, type ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { createWebRisk } from '#adapters/threat-scanners/web-risk.ts';
import { threatTypes } from '#core/threats/types.ts';
import { createFakeWebRisk } from '#test/support/fake-web-risk.ts';
import { useFixture } from '#test/support/fixture.ts';

const fake = useFixture(createFakeWebRisk);
let scanner: ThreatScanner;

beforeEach(() => {
  fake.lookups.length = 0;
  fake.fault(() => undefined);
  scanner = createWebRisk({ apiKey: 'key-1', endpoint: fake.url, lookupTimeoutMs: 300, cleanForMs: 86_400_000 });
  return () => scanner.close();
});

async function errorOf(url = 'http://site.example/'): Promise<ScanError> {
  const error = await scanner.lookup(url).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ScanError);
  return error as ScanError;
}

describe('Web Risk', () => {
  test('the lookup asks for all four threat types, with the key and the unchanged URL', async () => {
    const uri = 'https://münchen.example/ä?x=a b&y=%20#f';
    expect((await scanner.lookup(uri)).threatTypes).toEqual([]);
    expect(fake.lookups).toEqual([{ uri, threatTypes: [...threatTypes], key: 'key-1' }]);
  });

  test('the lookup sends no key where none is configured', async () => {
    const keyless = createWebRisk({ endpoint: fake.url, cleanForMs: 86_400_000 });
    await keyless.lookup('http://site.example/');
    await keyless.close();
    expect(fake.lookups[0]!.key).toBeUndefined();
  });

  test('the verdict has the threats and the expiry of the answer of Web Risk', async () => {
    const expireTime = new Date(Date.now() + 1_800_000);
    fake.flag('http://bad.example/', ['SOCIAL_ENGINEERING_EXTENDED_COVERAGE', 'MALWARE'], expireTime);
    const answer = await scanner.lookup('http://bad.example/');
    expect(answer.threatTypes).toEqual(['MALWARE', 'SOCIAL_ENGINEERING_EXTENDED_COVERAGE']);
    expect(Math.abs(answer.expiresAt.getTime() - expireTime.getTime())).toBeLessThan(1_000);
  });

  test('a clean answer holds for a day', async () => {
    const { expiresAt } = await scanner.lookup('http://clean.example/');
    expect(Math.round((expiresAt.getTime() - Date.now()) / 3_600_000)).toBe(24);
  });

  test('an expiry in the near future is kept', async () => {
    fake.flag('http://soon.example/', ['MALWARE'], new Date(Date.now() + 5_000));
    const { expiresAt } = await scanner.lookup('http://soon.example/');
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 5_000);
  });

  test('an expiry that is past still holds for a minute', async () => {
    fake.flag('http://odd.example/', ['MALWARE'], new Date(0));
    const { expiresAt } = await scanner.lookup('http://odd.example/');
    expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 50_000);
  });

  test.each([500, 503, 403, 401])('HTTP %i is no answer', async (status) => {
    fake.fault(() => ({ status }));
    expect(await errorOf()).toMatchObject({ reason: 'unavailable', retryAfterMs: undefined });
    expect(fake.lookups).toHaveLength(1);
  });

  test('a used-up quota comes with the wait that the service asks for, in the header or in the body', async () => {
    fake.fault(() => ({ status: 429, retryInfoSeconds: 3 }));
    expect(await errorOf()).toMatchObject({ reason: 'exhausted', retryAfterMs: 3_000 });
    fake.fault(() => ({ status: 429, retryAfterSeconds: 40 }));
    const { reason, retryAfterMs } = await errorOf();
    expect([reason, Math.round(retryAfterMs! / 1_000)]).toEqual(['exhausted', 40]);
  });

  test('a refused URL and a refused key are different errors', async () => {
    fake.fault(() => ({ status: 400 }));
    expect((await errorOf()).reason).toBe('refused');
    fake.fault(() => ({ status: 400, errorReason: 'API_KEY_INVALID' }));
    expect((await errorOf()).reason).toBe('unavailable');
  });

  test('a lookup of a service that hangs ends at its deadline', async () => {
    fake.fault(() => 'hang');
    expect((await errorOf()).reason).toBe('unavailable');
  });

  test('an unreachable service is no answer', async () => {
    const unreachable = createWebRisk({ endpoint: 'http://127.0.0.1:1', cleanForMs: 86_400_000 });
    await expect(unreachable.lookup('http://site.example/')).rejects.toMatchObject({ reason: 'unavailable' });
    await unreachable.close();
  });

  test('errors do not contain the URL', async () => {
    fake.fault(() => ({ status: 500 }));
    expect((await errorOf('http://secret.example/token')).message).not.toContain('secret');
  });
});
