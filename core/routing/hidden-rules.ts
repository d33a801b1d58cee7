import { osTypes } from '#core/links/draft.ts';
import type { CompiledRule } from './compiled/compiled-link.ts';
import { matchesCountry, matchesLanguage, matchesOs } from './decide.ts';

type Conditions = Pick<CompiledRule, 'countries' | 'languages' | 'osTypes'>;

/** A rule that no visitor reaches, because earlier rules match all whom it would match. */
interface HiddenRule {
  readonly rule: number;
  /** Indices of the rules that hide it, ascending: one, unless only several together do. */
  readonly hiddenBy: readonly number[];
}

/**
 * Finds the rules that can never be reached.
 * @param rules in order of evaluation.
 */
export function findHiddenRules(rules: readonly Conditions[]): HiddenRule[] {
  return rules.flatMap((rule, index) => {
    const hiddenBy = findCover(rule, rules.slice(0, index));
    return hiddenBy === undefined ? [] : [{ rule: index, hiddenBy }];
  });
}

/**
 * Finds earlier rules that match every visitor whom a rule matches; undefined where there are none.
 *
 * A few visitors stand for all of them. Where a rule has no condition on the country, that is a visitor of unknown country: only
 * rules without such a condition match them, and those match every country. The same holds for languages, and a visitor who speaks
 * `de` stands for those who speak `de-AT`.
 */
function findCover(rule: Conditions, earlier: readonly Conditions[]): readonly number[] | undefined {
  // Bit i of a set is earlier rule i. Visitors whom the same rules match need to be looked at only once.
  const ofSystems = setsOf(rule.osTypes ?? osTypes, (osType) => toSet(earlier, (one) => matchesOs(one, { osType })));
  const ofCountries = setsOf(rule.countries ?? [null], (country) =>
    toSet(earlier, (one) => matchesCountry(one, { country })),
  );
  const ofLanguages = setsOf(rule.languages ?? [null], (language) =>
    toSet(earlier, (one) => matchesLanguage(one, { language })),
  );
  let inAll = toSet(earlier, () => true);
  const cover = new Set<number>();
  for (const bySystem of ofSystems) {
    for (const byCountry of ofCountries) {
      for (const byLanguage of ofLanguages) {
        const matching = bySystem & byCountry & byLanguage;
        if (matching === 0n) return undefined;
        inAll &= matching;
        cover.add(firstOf(matching));
      }
    }
  }
  return inAll === 0n ? [...cover].toSorted((one, other) => one - other) : [firstOf(inAll)];
}

function setsOf<T>(values: readonly T[], setOf: (value: T) => bigint): Set<bigint> {
  return new Set(values.map(setOf));
}

function toSet(rules: readonly Conditions[], belongs: (rule: Conditions) => boolean): bigint {
  return rules.reduce((set, rule, index) => (belongs(rule) ? set | (1n << BigInt(index)) : set), 0n);
}

/** The lowest element of a set that has one. */
function firstOf(set: bigint): number {
  return (set & -set).toString(2).length - 1;
}
