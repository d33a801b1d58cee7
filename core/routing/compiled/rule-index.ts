import type { CompiledRule } from './compiled-link.ts';
import type { Visitor } from '#core/routing/decide.ts';

/** Which rules of a group match which values of one condition: bit i of a number is rule i. */
interface ConditionIndex {
  /** The rules without the condition, which match every value. */
  readonly always: number;
  /** The rules that match a value, with those without the condition; other values are matched by `always`. */
  readonly byValue: ReadonlyMap<string, number>;
}

/** The conditions of up to 31 rules. */
interface RuleGroup {
  readonly osTypes: ConditionIndex;
  readonly countries: ConditionIndex;
  readonly languages: ConditionIndex;
}

/** The conditions of all rules of a link, in groups in the order of the rules. */
export type RuleIndex = readonly RuleGroup[];

type Conditions = Pick<CompiledRule, 'osTypes' | 'countries' | 'languages'>;

// V8 keeps a non-negative number of so many bits in its place; a larger one would be an object.
const rulesPerGroup = 31;
const noValues: ReadonlyMap<string, number> = new Map();
// Fewer rules are looked at one by one in as little time (80 ns for two, where an index takes 110; 1,000 and 130 for twenty).
const leastIndexed = 3;

/**
 * Prepares the conditions of rules, so that a visit takes a look-up for each condition instead of a look at each rule.
 * @returns null where there are so few rules that it would gain nothing.
 */
export function indexRules(rules: readonly Conditions[]): RuleIndex | null {
  if (rules.length < leastIndexed) return null;
  const groups: RuleGroup[] = [];
  for (let start = 0; start < rules.length; start += rulesPerGroup) {
    const group = rules.slice(start, start + rulesPerGroup);
    groups.push({
      osTypes: indexCondition(group.map((rule) => rule.osTypes)),
      countries: indexCondition(group.map((rule) => rule.countries)),
      languages: indexCondition(group.map((rule) => rule.languages)),
    });
  }
  return groups;
}

/** The position of the first rule whose conditions all hold for a visitor, as `matches` says; -1: there is none. */
export function findRule(
  index: RuleIndex,
  { osType, country, language }: Pick<Visitor, 'osType' | 'country' | 'language'>,
): number {
  for (let at = 0; at < index.length; at += 1) {
    const { osTypes, countries, languages } = index[at]!;
    const matching = rulesFor(osTypes, osType) & rulesFor(countries, country) & rulesForLanguage(languages, language);
    if (matching !== 0) return at * rulesPerGroup + lowestBit(matching);
  }
  return -1;
}

/** @param values the condition of each rule; null: the rule has none. */
function indexCondition(values: readonly (readonly string[] | null)[]): ConditionIndex {
  let always = 0;
  const byValue = new Map<string, number>();
  for (const [rule, wanted] of values.entries()) {
    if (wanted === null) always |= 1 << rule;
    else for (const value of wanted) byValue.set(value, (byValue.get(value) ?? 0) | (1 << rule));
  }
  for (const [value, rules] of byValue) byValue.set(value, rules | always);
  // Most rules have one condition: an empty map for each of the others would be most of an index.
  return { always, byValue: byValue.size === 0 ? noValues : byValue };
}

function rulesFor({ always, byValue }: ConditionIndex, value: string | null): number {
  return value === null || byValue.size === 0 ? always : (byValue.get(value) ?? always);
}

/** A rule for `xx` matches each `xx-YY`. */
function rulesForLanguage(index: ConditionIndex, language: string | null): number {
  let rules = rulesFor(index, language);
  if (language === null || index.byValue.size === 0) return rules;
  for (let dash = language.indexOf('-'); dash !== -1; dash = language.indexOf('-', dash + 1)) {
    rules |= rulesFor(index, language.slice(0, dash));
  }
  return rules;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
