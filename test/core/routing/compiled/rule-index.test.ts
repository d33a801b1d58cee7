import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompiledRule } from '#core/routing/compiled/compiled-link.ts';
import { compileDraft } from '#core/routing/compiled/compile-draft.ts';
import { chooseDestination, matches, type Visitor } from '#core/routing/decide.ts';
import { findRule, indexRules } from '#core/routing/compiled/rule-index.ts';
import { createLinkSchema, osTypes } from '#core/links/draft.ts';
import { isNight } from '#test/support/night.ts';

const countries = ['DE', 'AT', 'US'];
const languages = ['de', 'de-DE', 'de-AT', 'en', 'en-US', 'd', 'deu'];

const anyOf = <T>(values: readonly T[]): fc.Arbitrary<readonly T[] | null> =>
  fc.option(fc.array(fc.constantFrom(...values), { maxLength: 3 }), { freq: 2 });

const anyConditions = fc.record({
  osTypes: anyOf(osTypes),
  countries: anyOf(countries),
  languages: anyOf(languages),
});

const anyVisitor: fc.Arbitrary<Visitor> = fc.record({
  query: fc.constant(''),
  osType: fc.constantFrom(...osTypes),
  country: fc.constantFrom(null, 'FR', ...countries),
  language: fc.constantFrom(null, 'fr', 'de-CH', 'en-', ...languages),
  isBot: fc.constant(false),
  isPreviewer: fc.constant(false),
});

describe('the index of rules', () => {
  it('finds the rule that a look at each rule finds', { tags: 'slow' }, () => {
    const anyRules = fc.oneof(
      fc.array(anyConditions, { minLength: 3, maxLength: 6 }),
      // Rules behind those of the first group and of the second one.
      fc.array(anyConditions, { minLength: 28, maxLength: 70 }),
    );
    fc.assert(
      fc.property(anyRules, anyVisitor, (rules, visitor) => {
        const wanted = rules.findIndex((rule) => matches(rule as CompiledRule, visitor));
        expect(findRule(indexRules(rules)!, visitor)).toBe(wanted);
      }),
      { numRuns: isNight ? 5_000 : 1_000 },
    );
  });

  it('finds each of a hundred rules', () => {
    const names = Array.from({ length: 100 }, (_, rule) => `C${rule}`);
    const index = indexRules(names.map((name) => ({ osTypes: null, countries: [name], languages: null })))!;
    const found = [...names, 'none'].map((country) => findRule(index, { osType: 'ios', country, language: null }));
    expect(found).toEqual([...names.keys(), -1]);
  });

  it('leads visitors of a link with an index to the destination of the rule, and others to that of the link', () => {
    const to = (value: string): object => ({ type: 'link', value });
    const rules = ['DE', 'AT', 'US', 'CH'].map((country, priority) => ({
      priority,
      countries: [country],
      destination: to(`https://example.com/${country}`),
    }));
    const draft = createLinkSchema.parse({ destination: to('https://example.com/all'), rules });
    const link = compileDraft(draft);
    expect(link.ruleIndex).toHaveLength(1);
    const urls = ['CH', 'FR', null].map((country) => {
      const visitor: Visitor = {
        query: '',
        country,
        language: null,
        osType: 'ios',
        isBot: false,
        isPreviewer: false,
      };
      return chooseDestination(link, visitor).url;
    });
    expect(urls).toEqual(['https://example.com/CH', 'https://example.com/all', 'https://example.com/all']);
  });
});
