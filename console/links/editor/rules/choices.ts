import { countryCodes, normalizeLanguage } from '#core/routing/iso-codes.ts';
import type { Format } from '#console/i18n/format.ts';
import type { Choice } from '#console/ui/form/list-field.tsx';

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
const languageCodes = letters.flatMap((first) =>
  letters.flatMap((second) => {
    const code = `${first}${second}`;
    // Intl writes outdated codes, such as `iw`, as their successors: only those that stay what they are.
    return normalizeLanguage(code) !== undefined && Intl.getCanonicalLocales(code)[0] === code ? [code] : [];
  }),
);

/** All countries by their names in the person's language. */
export function countryChoices(format: Format): readonly Choice[] {
  return byName(countryCodes.map((id) => ({ id, label: format.country(id) })));
}

/** All languages by their names in the person's language. */
export function languageChoices(format: Format): readonly Choice[] {
  return byName(languageCodes.map((id) => ({ id, label: format.language(id), detail: id })));
}

/** The language that a text names, as a code or by the name in the person's language; undefined: none. */
export function readLanguage(text: string, choices: readonly Choice[]): string | undefined {
  return normalizeLanguage(text.trim()) ?? findByName(text, choices);
}

/** The country that a text names, as a code or by the name in the person's language; undefined: none. */
export function readCountry(text: string, choices: readonly Choice[]): string | undefined {
  const code = text.trim().toUpperCase();
  return countryCodes.includes(code) ? code : findByName(text, choices);
}

function findByName(text: string, choices: readonly Choice[]): string | undefined {
  const name = text.trim().toLowerCase();
  const found = choices.filter(({ label }) => label.toLowerCase().startsWith(name));
  const exact = found.find(({ label }) => label.toLowerCase() === name);
  return name === '' ? undefined : (exact ?? (found.length === 1 ? found[0] : undefined))?.id;
}

function byName(choices: readonly Choice[]): readonly Choice[] {
  return choices.toSorted((one, other) => one.label.localeCompare(other.label));
}
