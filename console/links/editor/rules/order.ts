import { findHiddenRules } from '#core/routing/hidden-rules.ts';
import { compileLanguages } from '#core/routing/languages.ts';
import { listOrNull, type RuleDraft } from '#console/links/editor/draft.ts';

/** A rule without conditions or destination, for a person to fill in. */
export function newRule(): RuleDraft {
  return { key: crypto.randomUUID(), id: undefined, countries: [], languages: [], osTypes: [], destination: '' };
}

/** Whether a rule has a condition: one without matches everyone, and the API refuses it. */
export function hasCondition({ countries, languages, osTypes }: RuleDraft): boolean {
  return countries.length + languages.length + osTypes.length > 0;
}

/** Moves rules beside another one; they keep their order among themselves. @param keys of the rules that move. */
export function moveRules(
  rules: readonly RuleDraft[],
  keys: ReadonlySet<unknown>,
  target: { key: unknown; position: 'before' | 'after' },
): readonly RuleDraft[] {
  if (keys.has(target.key)) return rules;
  const moved = rules.filter(({ key }) => keys.has(key));
  const others = rules.filter(({ key }) => !keys.has(key));
  const at = others.findIndex(({ key }) => key === target.key) + (target.position === 'after' ? 1 : 0);
  return [...others.slice(0, at), ...moved, ...others.slice(at)];
}

/** Moves a rule up or down by one place; a rule at the end stays. */
export function moveByOne(rules: readonly RuleDraft[], key: string, by: 1 | -1): readonly RuleDraft[] {
  const neighbour = rules[rules.findIndex((rule) => rule.key === key) + by];
  if (neighbour === undefined) return rules;
  return moveRules(rules, new Set([key]), { key: neighbour.key, position: by === 1 ? 'after' : 'before' });
}

/**
 * The rules that no visitor reaches. Rules without a condition are left out: they are not finished.
 * @returns by the index of such a rule the indices of the rules that hide it.
 */
export function hiddenRulesOf(rules: readonly RuleDraft[]): ReadonlyMap<number, readonly number[]> {
  const finished = rules.flatMap((rule, index) => (hasCondition(rule) ? [{ rule, index }] : []));
  const conditions = finished.map(({ rule }) => ({
    countries: listOrNull(rule.countries),
    languages: compileLanguages(listOrNull(rule.languages)),
    osTypes: listOrNull(rule.osTypes),
  }));
  return new Map(
    findHiddenRules(conditions).map(({ rule, hiddenBy }) => [
      finished[rule]!.index,
      hiddenBy.map((index) => finished[index]!.index),
    ]),
  );
}
