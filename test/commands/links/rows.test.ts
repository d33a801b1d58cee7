import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scansOf, toDestinationRow, toRuleRows } from '#commands/links/rows.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';
import { createLinkSchema } from '#core/links/draft.ts';

const destination = { type: 'link', value: 'https://example.com' };

it('sorts rules by priority and keeps the order of equals', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { maxLength: 20 }), (priorities) => {
      const sent = priorities.map((priority, index) => ({
        priority,
        languages: ['de'],
        destination: { ...destination, value: `https://example.com/${index}` },
      }));
      const { rules, destinations } = toRuleRows(createLinkSchema.parse({ destination, rules: sent }).rules ?? []);
      const expected = priorities
        .map((priority, index) => ({ priority, index }))
        .toSorted((a, b) => a.priority - b.priority || a.index - b.index);
      expect(rules.map(({ position }) => position)).toEqual(rules.map((_rule, position) => position));
      expect(destinations.map(({ value }) => value)).toEqual(
        expected.map(({ index }) => `https://example.com/${index}`),
      );
    }),
  );
});

it('names the key of a scan only where it is the key of its web address', () => {
  const web = fc.constantFrom('https://example.com/1', 'https://example.com/2');
  const deepLink = fc.option(fc.oneof(web, fc.constant('app://open')));
  const drafts = fc.record({
    target: fc.oneof(
      fc.record({ type: fc.constant('link'), value: web }),
      fc.constant({ type: 'mail', value: 'mail@example.com' }),
    ),
    iosDeepLink: deepLink,
    androidDeepLink: deepLink,
  });
  fc.assert(
    fc.property(drafts, ({ target, ...deepLinks }) => {
      const draft = createLinkSchema.parse({ destination: { ...target, ...deepLinks } }).destination;
      const scans = scansOf(toDestinationRow(draft, null));
      for (const { url, urlHash } of scans) expect([null, hexHashOfUrl(url)]).toContain(urlHash);
      expect(new Set(scans.map(({ url }) => url)).size).toBe(scans.length);
    }),
  );
});
