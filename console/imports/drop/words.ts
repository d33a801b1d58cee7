import { createWords } from '#console/i18n/words.ts';

const en = {
  over: 'Drop the file to import its links',
  overText: 'Nothing is sent before you press Start.',
  notAllowed: 'Your role does not allow importing links.',
  oneFile: 'One file at a time: the first one was taken.',
};

const de: typeof en = {
  over: 'Datei ablegen, um ihre Links zu importieren',
  overText: 'Vor dem Start wird nichts gesendet.',
  notAllowed: 'Ihre Rolle erlaubt das Importieren von Links nicht.',
  oneFile: 'Eine Datei auf einmal: Die erste wurde genommen.',
};

/** Words of dropping a file on any page, which the first load has. */
export const useDropWords = createWords({ en, de });
