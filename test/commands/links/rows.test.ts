import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toRuleRows } from '#commands/links/rows.ts';
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
