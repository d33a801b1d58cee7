import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { osTypes } from '#core/links/draft.ts';
import { matchesCountry, matchesLanguage, matchesOs } from '#core/routing/decide.ts';
import { findHiddenRules } from '#core/routing/hidden-rules.ts';

const countries = ['DE', 'AT'];
const languages = ['de', 'de-AT', 'en'];
const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }), { nil: null });
const anyRule = fc.record({
  countries: some(countries),
  languages: some(languages),
  osTypes: some(osTypes),
});
type Rule = typeof anyRule extends fc.Arbitrary<infer T> ? T : never;

const none: Rule = { countries: null, languages: null, osTypes: null };

// Each country and language of a rule, an unknown one, and one that no rule names.
const visitors = osTypes.flatMap((osType) =>
  [...countries, 'FR', null].flatMap((country) =>
    [...languages, 'de-CH', 'fr', null].map((language) => ({ osType, country, language })),
  ),
);

function reach(rule: Rule): typeof visitors {
  return visitors.filter((one) => matchesOs(rule, one) && matchesCountry(rule, one) && matchesLanguage(rule, one));
}

describe('findHiddenRules', () => {
  it('finds exactly the rules that no visitor reaches, and rules that hide them', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 6 }), (rules) => {
        const isFree = (index: number, by: number[]): boolean => {
          const before = new Set(by.flatMap((other) => reach(rules[other]!)));
          return reach(rules[index]!).some((one) => !before.has(one));
        };
        const hidden = new Map(findHiddenRules(rules).map(({ rule, hiddenBy }) => [rule, hiddenBy]));
        for (const index of rules.keys()) {
          const earlier = [...rules.keys()].slice(0, index);
          const hiddenBy = hidden.get(index);
          expect(isFree(index, earlier)).toBe(hiddenBy === undefined);
          if (hiddenBy === undefined) continue;
          expect(isFree(index, [...hiddenBy])).toBe(false);
          const isHiddenByOne = earlier.some((other) => !isFree(index, [other]));
          expect(hiddenBy.length === 1).toBe(isHiddenByOne);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('names the rule that hides another, or those that do so together', () => {
    const rules: Rule[] = [
      { ...none, osTypes: ['ios', 'macos'] },
      { ...none, languages: ['de'] },
      { ...none, osTypes: ['ios'], countries: ['DE'] },
      { ...none, osTypes: ['windows', 'linux', 'android', 'other'] },
      { ...none, languages: ['de-AT'] },
      none,
    ];
    expect(findHiddenRules(rules)).toEqual([
      { rule: 2, hiddenBy: [0] },
      { rule: 4, hiddenBy: [1] },
      { rule: 5, hiddenBy: [0, 3] },
    ]);
  });

  it('takes no list of countries for all of them', () => {
    expect(findHiddenRules([{ ...none, countries: [...countries] }, none])).toEqual([]);
  });
});
