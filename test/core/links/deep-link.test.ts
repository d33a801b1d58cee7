import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { androidIntentOf, urlsOpenedBy } from '#core/links/deep-link.ts';
import { anyUrl } from '#test/support/texts.ts';

const fallback = 'https://example.com/a?b=1#c;d';
const encoded = 'https%3A%2F%2Fexample.com%2Fa%3Fb%3D1%23c%3Bd';

describe('androidIntentOf', () => {
  test.each([
    ['app://open?a=1', `intent://open?a=1#Intent;scheme=app;S.browser_fallback_url=${encoded};end`],
    ['spotify:track:1', `intent:track:1#Intent;scheme=spotify;S.browser_fallback_url=${encoded};end`],
    ['App://x#part', `intent://x#part#Intent;scheme=app;S.browser_fallback_url=${encoded};end`],
    ['intent://x#Intent;scheme=app;end', 'intent://x#Intent;scheme=app;end'],
    ['https://example.com/', null],
    ['android-app://com.example/http/example.com', null],
    ['app://x#Intent;package=other;end', null],
  ])('%s: %s', (link, expected) => {
    expect(androidIntentOf(link, fallback)).toBe(expected);
  });

  test('a fallback that browsers would not open makes no intent', () => {
    expect(androidIntentOf('app://x', 'mailto:a@example.com')).toBeNull();
  });

  test('an intent opens the deep link and its fallback, and nothing else', () => {
    fc.assert(
      fc.property(anyUrl, (url) => {
        const opened = urlsOpenedBy(androidIntentOf('app://open', url)!);
        expect(opened.slice(1)).toEqual([
          { url: 'app://open', isFallback: false },
          { url, isFallback: true },
        ]);
      }),
    );
  });
});
