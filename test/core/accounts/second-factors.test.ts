import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRecoveryCodes,
  createTotpSecret,
  findTotpStep,
  hashRecoveryCode,
  totpCodeAt,
  totpUri,
} from '#core/accounts/second-factors.ts';

// The secret of RFC 6238 appendix B, '12345678901234567890', in base 32.
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number): Date => new Date(seconds * 1_000);

describe('codes of authenticator apps', () => {
  // RFC 6238 appendix B, the last six of its eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are at %i s since 1970 as RFC 6238 says', (seconds, code) => {
    expect(totpCodeAt(rfcSecret, at(seconds))).toBe(code);
    expect(findTotpStep(rfcSecret, code, at(seconds))).toBe(Math.floor(seconds / 30));
  });

  it('count in their step, and in the ones before and after, and name their own step', () => {
    const seconds = fc.integer({ min: 1_000, max: 4_000_000_000 });
    const property = fc.property(seconds, fc.integer({ min: -300, max: 300 }), (now, shift) => {
      const secret = createTotpSecret();
      const code = totpCodeAt(secret, at(now + shift));
      const [step, given] = [Math.floor(now / 30), Math.floor((now + shift) / 30)];
      const found = findTotpStep(secret, code, at(now));
      if (Math.abs(given - step) <= 1) return found === given || totpCodeAt(secret, at(found! * 30)) === code;
      // Of another step a code is right by accident only: then it is the code of a step near by too.
      return found === undefined || totpCodeAt(secret, at(found * 30)) === code;
    });
    expect(fc.check(property).counterexample).toBeNull();
  });

  it('no text but six digits counts', () => {
    const property = fc.property(
      fc.string({ maxLength: 12 }),
      (text) => /^\d{6}$/.test(text) || findTotpStep(rfcSecret, text, at(59)) === undefined,
    );
    expect(fc.check(property).counterexample).toBeNull();
  });

  it('secrets have 160 bits, and the address for apps names installation and person', () => {
    const secret = createTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(totpUri(secret, { issuer: 'Waymark (localhost)', account: 'ada+x@example.com' }));
    expect(uri.protocol).toBe('otpauth:');
    expect(decodeURIComponent(uri.pathname)).toContain('Waymark (localhost):ada+x@example.com');
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret, issuer: 'Waymark (localhost)', digits: '6' });
  });
});

describe('recovery codes', () => {
  it('are ten different ones of 80 bits', () => {
    const codes = createRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  });

  it('count however they are written, for their person alone', () => {
    const hash = hashRecoveryCode('person', '0A1B-CDEF-GHJK-MNPQ');
    for (const written of ['0a1b cdef ghjk mnpq', 'OAIBCDEFGHJKMNPQ', ' oalb-cdef-ghjk-mnpq '])
      expect(hashRecoveryCode('person', written)).toEqual(hash);
    expect(hashRecoveryCode('other', '0A1B-CDEF-GHJK-MNPQ')).not.toEqual(hash);
  });
});
