import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emailDomainOf, safePath } from '#core/organizations/oidc.ts';

describe('the path to which a sign-in leads', () => {
  test('a path of the console is kept, with its query', () => {
    expect(['/links', '/links?q=a%20b', '/webhooks/1?page=2'].map(safePath)).toEqual([
      '/links',
      '/links?q=a%20b',
      '/webhooks/1?page=2',
    ]);
  });

  test('whatever is given, the browser stays on the site', () => {
    const pieces = fc.constantFrom('/', '\\', '.', '@', ':', '#', '?', '%2f', '\t', 'https:', 'evil.example', 'a');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
        ),
        (next) => {
          const url = new URL(`https://api.example.com/console${safePath(next)}`);
          expect(url.origin).toBe('https://api.example.com');
          expect(new URL(safePath(next), 'https://api.example.com').origin).toBe('https://api.example.com');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('nothing leads to the links', () => {
    expect([safePath(undefined), safePath(null), safePath('')]).toEqual(['/links', '/links', '/links']);
  });
});

describe('the domain of an e-mail', () => {
  test('is behind the last @, in lower case', () => {
    expect(['Ada@Example.COM', '"a@b"@example.org'].map(emailDomainOf)).toEqual(['example.com', 'example.org']);
  });
});
