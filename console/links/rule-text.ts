import type { ShortLink } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useLanguage } from '#console/i18n/language.ts';
import { createWords } from '#console/i18n/words.ts';

const en = {
  from: (countries: string) => `From ${countries}`,
  speaks: (languages: string) => `in ${languages}`,
  on: (systems: string) => `on ${systems}`,
  systems: {
    windows: 'Windows',
    macos: 'macOS',
    linux: 'Linux',
    ios: 'iOS',
    android: 'Android',
    other: 'other systems',
  },
};

const de: typeof en = {
  from: (countries) => `Aus ${countries}`,
  speaks: (languages) => `auf ${languages}`,
  on: (systems) => `mit ${systems}`,
  systems: { ...en.systems, other: 'anderen Systemen' },
};

const useRuleWords = createWords({ en, de });

/** What decides whether a rule leads a visitor elsewhere. */
export type Conditions = Partial<Pick<ShortLink['rules'][number], 'countries' | 'languages' | 'osTypes'>>;

/** @returns what writes the conditions of a rule as a sentence. */
export function useConditions(): (rule: Conditions) => string {
  const words = useRuleWords();
  const format = useFormat();
  const language = useLanguage();
  const some = new Intl.ListFormat(language, { type: 'disjunction' });
  const part = <Value extends string>(
    values: readonly Value[] | null | undefined,
    name: (value: Value) => string,
    say: (names: string) => string,
  ): string[] => (values?.length ? [say(some.format(values.map(name)))] : []);
  return ({ countries, languages, osTypes }) => {
    const text = [
      ...part(countries, format.country, words.from),
      ...part(languages, format.language, words.speaks),
      ...part(osTypes, (os) => words.systems[os], words.on),
    ].join(', ');
    return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
  };
}
