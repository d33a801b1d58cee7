import { limitingStems, protectingStems, remainingStems, wordMeanings } from './column-words.ts';
import { isMarked, noWords, readStatus, unlimited, yesWords } from './protection.ts';

// The longest first: "ends" is not "end" with a rest.
const knownWords = new RegExp(
  [...wordMeanings.keys()].toSorted((one, other) => other.length - one.length).join('|'),
  'g',
);

/**
 * What a column that no format reads says of a link: `protected`, that it is not for all or leads nowhere; `limited`, that it has an
 * end or a cap; `open`, that it leads on; `start`, since when. `dated-end` and `dated-start` do so where they hold a moment: `promo_end`, but not `front_end`.
 */
export type ColumnMeaning = 'protected' | 'limited' | 'open' | 'start' | 'dated-end' | 'dated-start';

/** A column that no format reads, and that has a meaning. */
export interface ProtectingColumn {
  /** Its name in the file. */
  column: string;
  meaning: ColumnMeaning;
}

const fold = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
// Words without a meaning of their own, and letters before an apostrophe.
const articles = new Set(
  'a al alla allo au aux d da das de degli dei della delle dello dem den der des di do dos du een el het il l la las les le lo los os the van zum zur'.split(
    ' ',
  ),
);
// The console names a column so that no format reads it.
export const isLeftOut = (column: string): boolean => /^ignored \d+ \(/.test(column);

/** The words of a name without accents, articles and separators. */
function splitName(column: string): string[] {
  return fold(column)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => !articles.has(part));
}

/** Splits parts of a name into known words: "enddatum" is "end" and "datum"; undefined: another word is in them. */
function splitKnown(parts: readonly string[]): string[] | undefined {
  const known = parts.flatMap((part) => part.match(knownWords) ?? []);
  return known.join('') === parts.join('') ? known : undefined;
}

/** What the name of a column means, in any case, with or without separators; undefined: nothing that protects a link. */
export function readColumnMeaning(column: string): ColumnMeaning | undefined {
  if (isLeftOut(column)) return undefined;
  const parts = splitName(column);
  const name = parts.join('');
  if (protectingStems.test(name)) return 'protected';
  if (limitingStems.test(name) || remainingStems.test(name)) return 'limited';
  // As one word first: "opens at" is when a link opens, not how often.
  const known = splitKnown([name]) ?? splitKnown(parts);
  if (known !== undefined) {
    const has = new Set(known.map((word) => wordMeanings.get(word)));
    const isDated = has.has('time') || has.has('open');
    if (has.has('protected') || (has.has('not') && has.has('open') && !has.has('use'))) return 'protected';
    if (has.has('cap') || has.has('end') || (has.has('to') && isDated)) return 'limited';
    if (has.has('use')) return undefined;
    if (has.has('last')) return 'limited';
    if (has.has('start') || (isDated && has.has('from')) || (has.has('open') && has.has('time'))) return 'start';
    if (has.has('open')) return 'open';
    if (has.has('to') && known.length === 1) return 'dated-end';
  }
  const of = new Set(parts.map((part) => wordMeanings.get(part)));
  if (of.has('end')) return 'dated-end';
  return of.has('start') || of.has('from') ? 'dated-start' : undefined;
}

const forAll =
  /^(?:public|visible|everyone|everybody|anyone|anybody|all|open|unrestricted|alle|jeder|tous|tout le monde|todos|todo el mundo|todo mundo|tutti|chiunque|iedereen)$/i;
const isPlan = /schedul|embargo|geplant|gepland|planifi|pianific|program[am]|agendad/i;

function saysOpen(text: string): boolean {
  const isYes = yesWords.test(text) || forAll.test(text) || readStatus(text) === 'alive';
  return isYes || wordMeanings.get(fold(text).toLowerCase()) === 'open';
}

/**
 * Whether a cell of a column with a meaning says that its link is protected, limited or not yet there.
 * @param at the moment in the cell; undefined: it cannot be read; null: the cell holds none.
 */
export function saysProtecting(
  { column, meaning }: ProtectingColumn,
  text: string,
  at: Date | 'ambiguous' | undefined | null,
  now: Date,
): boolean {
  const isLater = at === 'ambiguous' || (at instanceof Date && at > now);
  switch (meaning) {
    case 'protected':
      return isMarked(text);
    case 'limited':
      // Of what is left 0 limits too, in any language.
      return text === '0' ? remainingStems.test(splitName(column).join('')) : isMarked(text) && !unlimited.test(text);
    case 'open':
      return isLater || !(at instanceof Date || saysOpen(text));
    case 'start':
      return isLater || (at === undefined && !(isPlan.test(column) && noWords.test(text)));
    case 'dated-end':
      return at instanceof Date || at === 'ambiguous';
    case 'dated-start':
      return isLater;
  }
}
