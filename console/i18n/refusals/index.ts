import { fieldNames } from '#console/processes/field-names.ts';
import { german } from './german.ts';

/** English of refusals whose own words name fields of the API. */
const english: Readonly<Record<string, string>> = {
  'must have at least one of countries, languages, osTypes': 'Choose at least one country, language or system',
  'has only the number {}: write its name into a column "domain", or import its rows with domainId':
    'Has only the number {}: write its name into a column "domain", or choose a domain for all rows',
  'is of an invitation that does not work any more: ask for a new one':
    'This invitation does not work any more: ask for a new one',
  'is of a link that does not work any more: ask for a new one': 'This link does not work any more: ask for a new one',
  'is of a sign-in that has ended: sign in again': 'This sign-in has ended: sign in again',
  'is of a confirmation that has ended: try again': 'This confirmation has ended: try again',
  'is of a passkey that has ended: begin again': 'This passkey has ended: begin again',
  'The key has ended, and another value would too: give it a later expiresAt first.':
    'The key has ended, and another value would too: give it a later end first.',
};

const dictionaries = { en: english, de: german };
const patterns = { en: patternsOf(english), de: patternsOf(german) };

/** Texts with `{}` as patterns, those with most letters of their own first: "must be a multiple of {}" before "must be {}". */
function patternsOf(dictionary: Readonly<Record<string, string>>): [RegExp, string][] {
  return Object.entries(dictionary)
    .filter(([text]) => text.includes('{}'))
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([text, words]) => [new RegExp(`^${text.split('{}').map(escape).join('(.+?)')}$`, 's'), words]);
}

/** A refusal in a language; undefined: it has no words there. */
export function translate(message: string, language: keyof typeof dictionaries): string | undefined {
  const exact = dictionaries[language][message];
  if (exact !== undefined) return exact;
  for (const [pattern, words] of patterns[language]) {
    const values = pattern.exec(message)?.slice(1);
    if (values === undefined) continue;
    let next = 0;
    return words.replaceAll('{}', () => {
      const value = values[next++] ?? '';
      return translate(value, language) ?? value;
    });
  }
  return undefined;
}

/** A refusal as a sentence in the language of the page, behind the name of its field where it has a path. */
export function sayRefusal(message: string, path = ''): string {
  const language = globalThis.document?.documentElement?.lang === 'de' ? 'de' : 'en';
  const text = capital(translate(message, language) ?? message);
  // The token of a link in a mail is no field: the words name what it is for.
  if (path === '' || path === 'token') return text;
  const [field = '', index] = path.split('.');
  const names: Readonly<Record<string, string>> = fieldNames[language];
  const place = index !== undefined && /^\d+$/.test(index) ? ` ${Number(index) + 1}` : '';
  return `${capital(names[field] ?? path)}${names[field] === undefined ? '' : place}: ${text}`;
}

/** A text as a pattern of itself. */
function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

/** Begins a text with a capital letter, unless its first word is a value that is written as it is, such as an e-mail. */
function capital(text: string): string {
  if (/^\S+[@./]\S/.test(text)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
