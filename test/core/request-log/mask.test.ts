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

  it.each(['password', 'newPassword', 'clientSecret', 'API_KEY', 'api-key', 'Authorization', 'accessToken', 'cookies'])(
    'hides %s, which no schema declares',
    (name) => {
      expect(json({ [name]: 'abc', other: 1 })).toEqual({ [name]: '***', other: 1 });
    },
  );

  it('shows flags, numbers and null, which are no secrets', () => {
    const body = { pin: null, password: true, token: 1, hasPassword: false, passwordHint: 'x' };
    expect(json(body)).toEqual(body);
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
    ['', ''],
  ])('turns %s into %s', (given, shown) => {
    expect(mask.query(given)).toBe(shown);
  });
});
