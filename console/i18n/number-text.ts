import { useState } from 'react';
import { type Language, useLanguage } from './language.ts';

const plain = /^-?\d+(?:\.\d{1,2})?$/;

/**
 * A number as a person types it, in plain digits with a point: `1.000` is 1000 in German, and no number in English. A fraction has one or
 * two digits behind either mark, so that it is no group of three. Any other text stays as it is.
 */
export function plainNumber(text: string, language: Language): string {
  const mark = new Intl.NumberFormat(language).formatToParts(1_000).find(({ type }) => type === 'group')!.value;
  const trimmed = text.trim();
  const groups = trimmed.split(mark);
  const isGrouped = groups.every((group, index) => (index === 0 ? /^-?\d{1,3}$/ : /^\d{3}$/).test(group));
  const number = isGrouped ? groups.join('') : trimmed.replace(',', '.');
  return plain.test(number) ? number : text;
}

/** The number of a text in plain digits; undefined: it is none. */
export function numberOf(text: string): number | undefined {
  return plain.test(text) ? Number(text) : undefined;
}

/** What a text field for a number needs. It shows the text as it is typed, and plain digits once it has lost the focus. */
export function useNumberText(value: string, onChange: (value: string) => void) {
  const language = useLanguage();
  const [typed, setTyped] = useState(value);
  return {
    inputMode: 'decimal',
    value: plainNumber(typed, language) === value ? typed : value,
    onChange(text: string): void {
      setTyped(text);
      onChange(plainNumber(text, language));
    },
    onBlur: () => setTyped(value),
  } as const;
}
