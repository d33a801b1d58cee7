import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMask, maskKnown } from '#core/request-log/mask.ts';

const mask = createMask(new Set(['pin', 'headers']));
const json = (value: unknown): unknown => JSON.parse(mask.json(value, 1_000).text);

describe('the mask of a body', () => {
  it('hides what schemas declare, whole objects too, at any depth', () => {
    expect(json({ links: [{ pin: 'abc', title: 'x' }], headers: { Authorization: 'Bearer 1' } })).toEqual({
      links: [{ pin: '***', title: 'x' }],
      headers: '***',
    });
  });

  it.each([
    'password',
    'newPassword',
    'passwordConfirmation',
    'password ',
    'Password2',
    'passwd',
    'clientSecret',
    'secretKey',
    'API_KEY',
    'api-key',
    'Authorization',
    'accessToken',
    'token_value',
    'auth',
    'otp',
    'cookies',
  ])('hides %s, which no schema declares', (name) => {
    expect(json({ [name]: 'abc', other: 1 })).toEqual({ [name]: '***', other: 1 });
  });

  it('hides numbers that are secrets', () => {
    expect(json({ pin: 4321, password: 98_765_432, token: 1 })).toEqual({ pin: '***', password: '***', token: '***' });
  });

  it('shows flags, numbers and null, which are no secrets', () => {
    const body = { pin: null, password: true, hasPassword: false, tokens: 3, passwordLength: 8, author: 'x' };
    expect(json(body)).toEqual(body);
  });

  it('shows the permissions for API keys, and hides what else a list of that name holds', () => {
    const permissions = { apiKeys: ['create', 'read'], stats: ['read'] };
    expect(json({ permissions })).toEqual({ permissions });
    expect(json({ apiKeys: ['read', 'x'] })).toEqual({ apiKeys: '***' });
  });

  it('hides what an address of a body has before its host, and in its query under the name of a secret', () => {
    expect(
      json({ url: 'https://ada:pass@hooks.example/1?a=1&access_token=abc#x', home: 'https://example.com/@ada' }),
    ).toEqual({
      url: 'https://***@hooks.example/1?a=1&access_token=***#x',
      home: 'https://example.com/@ada',
    });
  });

  it('hides what an address has in its fragment under the name of a secret', () => {
    expect(
      json({ value: 'https://a.example/cb#state=1&access_token=abc', other: 'https://a.example/#token=abc' }),
    ).toEqual({
      value: 'https://a.example/cb#state=1&access_token=***',
      other: 'https://a.example/#token=***',
    });
    expect(mask.maskQuery('url=https%3A%2F%2Fa.example%2F%23token%3Dabc')).not.toContain('abc');
  });

  it('hides keys and webhook secrets in any text', () => {
    expect(json({ note: 'use wm_live_abcdefghijk please', s: ['whsec_MfKQ9r8G+/='] })).toEqual({
      note: 'use *** please',
      s: ['***'],
    });
    expect(maskKnown('/x/wm_live_abcdefghijk/y')).toBe('/x/***/y');
  });

  it('writes little more than asked of a large body, and says that it is not whole', () => {
    const large = { links: Array.from({ length: 10_000 }, () => ({ title: 'x'.repeat(100) })) };
    const { text, isWhole } = mask.json(large, 1_000);
    expect(isWhole).toBe(false);
    expect(text.startsWith('{"links":[{"title":"xxx')).toBe(true);
    expect(text.length).toBeLessThan(60_000);
    expect(mask.json({ a: 1 }, 1_000)).toEqual({ text: '{"a":1}', isWhole: true });
  });

  it('hides a secret of any body, wherever it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 12, maxLength: 40 }), (around, secret) => {
        const hidden = `§${secret}§`;
        const { text } = mask.json({ around, in: [{ pin: hidden }, { deep: { headers: { a: hidden } } }] }, 100_000);
        expect(text).not.toContain(JSON.stringify(hidden).slice(1, -1));
      }),
    );
  });
});

describe('the mask of a query', () => {
  it.each([
    ['limit=5&token=abc', 'limit=5&token=***'],
    ['%70assword=abc&x', '%70assword=***&x'],
    ['%zz=1&pin=2', '%zz=1&pin=***'],
    ['search=wm_live_abcdefghijk', 'search=***'],
    ['password[]=a&password%5B%5D=b', 'password[]=***&password%5B%5D=***'],
    ['x=1;password=a', 'x=1;password=***'],
    ['wm%5Flive%5Fabcdefghijk=1', '***=1'],
    ['search=a%20b', 'search=a%20b'],
    ['', ''],
  ])('turns %s into %s', (given, shown) => {
    expect(mask.maskQuery(given)).toBe(shown);
  });
});
