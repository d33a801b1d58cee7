import { describe, expect, it } from 'vitest';
import { generateSlug } from '#core/links/slugs/generate-slug.ts';

describe('generateSlug', () => {
  it('generates 7 characters of base58, one more at each further attempt', () => {
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect(generateSlug(attempt)).toMatch(new RegExp(`^[1-9A-HJ-NP-Za-km-z]{${7 + attempt}}$`));
    }
  });
});
