import { useLanguage } from '#console/i18n/language.ts';
import { nameOfColor, nearestColor } from './colors.ts';
import { useOrganizeWords } from '#console/organize/words.ts';
import css from '#console/organize/organize.module.css';

/** A dot in the colour of a label. The ring around it is seen on light and dark ground, of whatever colour the label is. */
export function Swatch({ color }: { color: string }) {
  return <span className={css.swatch} style={{ backgroundColor: color }} aria-hidden="true" />;
}

/** @returns a function that puts a colour into words: its name, or the name that it is near to. */
export function useColorName(): (code: string) => string {
  const words = useOrganizeWords();
  // German names of colours are nouns; inside an English sentence they are not.
  const isEnglish = useLanguage() === 'en';
  return (code) => {
    const name = nameOfColor(code);
    if (name !== undefined) return words.colors[name];
    const near = words.colors[nearestColor(code)];
    return words.nearColor(isEnglish ? near.toLowerCase() : near, code.toUpperCase());
  };
}
