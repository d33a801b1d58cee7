import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { destinationOf, withScheme } from '#console/links/editor/destination/destination.ts';
import { anyUrl } from '#test/support/texts.ts';

describe('a typed destination', () => {
  test.each([
    ['example.com', 'link', 'https://example.com'],
    [' https://example.com/a?b=1#c ', 'link', 'https://example.com/a?b=1#c'],
    ['example.com:8080/a', 'link', 'https://example.com:8080/a'],
    ['localhost:3000', 'link', 'https://localhost:3000'],
    ['HTTP://example.com', 'link', 'HTTP://example.com'],
    ['192.168.0.1/a', 'link', 'https://192.168.0.1/a'],
    ['someone@example.com', 'mail', 'someone@example.com'],
    ['mailto:someone@example.com?subject=a', 'mail', 'someone@example.com?subject=a'],
    ['https://user@example.com/', 'link', 'https://user@example.com/'],
    ['+49 (30) 123-456', 'phone', '+49 (30) 123-456'],
    ['tel:112', 'phone', '112'],
    ['2026', 'link', 'https://2026'],
  ])('%j is of the type %s', (text, type, value) => expect(destinationOf(text)).toEqual({ type, value }));

  test('a script stays one, which the API refuses by name', () => {
    expect(destinationOf('javascript:alert(1)')).toEqual({ type: 'link', value: 'javascript:alert(1)' });
    expect(destinationOf('data:text/html,a')).toEqual({ type: 'link', value: 'data:text/html,a' });
  });

  test('an address that has its scheme stays as it is', () => {
    fc.assert(
      fc.property(anyUrl, (url) => {
        expect(destinationOf(url)).toEqual({ type: 'link', value: url });
        expect(withScheme(withScheme(url.replace(/^\w+:\/\//, '')))).toMatch(/^https:\/\//);
      }),
    );
  });
});
