import { describe, expect, it } from 'vitest';
import { isCommonPassword } from '#core/accounts/common-passwords.ts';

describe('a common password', () => {
  it.each([
    'password',
    'Password1',
    'P@ssw0rd!',
    'passw0rd2024',
    'PASSWORD123',
    '123password',
    'pass-word',
    '12345678',
    '123456789012',
    '87654321',
    '11111111',
    'abababab',
    'abc123abc123',
    'abcdefgh',
    'qwertyuiop',
    'Qwerty123!',
    'asdfghjkl',
    '1q2w3e4r',
    'iloveyou',
    'iloveyou2',
    'ILoveYou!!',
    'sunshine1',
    'letmein1!',
    'Welcome2026',
    'changeme',
    'ｐａｓｓｗｏｒｄ',
    'trustno1',
    'abcdef123456',
    '  password  ',
    'waymark1',
  ])('is %s', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each([
    'correct horse battery',
    'an even better password',
    'a good password',
    'a password that nobody is told',
    'long enough',
    'another password',
    'x7Kp2mQz',
    'tulip-42-anvil',
    'пароль из семи слов',
    'monkey wrench 77',
    '8c1f0e7d9b2a',
    'dragonfly over water',
  ])('is not %s', (password) => {
    expect(isCommonPassword(password, ['ada@example.com', 'Acme Tools'])).toBe(false);
  });

  it('may be a word about the person', () => {
    const own = ['ada.lovelace@analytical.example', 'Difference Engines'];
    for (const password of [
      'ada.lovelace@analytical.example',
      'AdaLovelace',
      'ada-lovelace1',
      'analytical2026',
      'difference engines',
      'Engines!1815',
      'd1fferenceEng1nes',
    ])
      expect([password, isCommonPassword(password, own)]).toEqual([password, true]);
    for (const password of ['ada counts to nine', 'my difference is here'])
      expect([password, isCommonPassword(password, own)]).toEqual([password, false]);
  });
});
