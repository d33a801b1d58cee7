import { createWords } from '#console/i18n/words.ts';
import { destinationOf } from './destination.ts';

const en = { noSpaces: 'Must not hold spaces' };
const de: typeof en = { noSpaces: 'Darf keine Leerzeichen enthalten' };
const useWords = createWords({ en, de });

/**
 * @returns what says what is wrong with a slug, an address or a destination that has spaces inside, which the API refuses, while it is
 * typed; undefined: nothing. Spaces around it are left out, and a phone number may have them.
 */
export function useSpaceIssue(): (text: string) => string | undefined {
  const { noSpaces } = useWords();
  return (text) => (/\s/.test(text.trim()) && destinationOf(text).type === 'link' ? noSpaces : undefined);
}
