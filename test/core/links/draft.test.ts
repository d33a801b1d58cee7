import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLinkSchema } from '#core/links/draft.ts';

const destination = { type: 'link', value: 'https://example.com' };

describe('createLinkSchema', () => {
  it('accepts or refuses any JSON without an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, rules) => {
        const result = createLinkSchema.safeParse({
          destination: value,
          rules,
          tags: value,
          qrCode: rules,
          metaTags: value,
        });
        expect(typeof result.success).toBe('boolean');
      }),
    );
  });

  it.each([
    ['de', 'de'],
    ['DE', 'de'],
    ['de-at', 'de-AT'],
  ])('writes the language %s as %s', (sent, stored) => {
    const rules = [{ priority: 0, languages: [sent], destination }];
    expect(createLinkSchema.parse({ destination, rules }).rules?.[0]?.languages).toEqual([stored]);
  });

  it.each(['zz', 'deu', 'de-', 'de-A', 'd', 'de_AT', 'de-XX', 'en-UK'])('refuses the language %s', (language) => {
    const rules = [{ priority: 0, languages: [language], destination }];
    expect(createLinkSchema.safeParse({ destination, rules }).success).toBe(false);
  });
});
