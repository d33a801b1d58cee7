import { createWords } from './words.ts';

const en = {
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  delete: 'Delete',
  messages: 'Messages',
  callId: 'Call',
  notLoaded: 'This part could not be loaded.',
  tryAgain: 'Try again',
  loading: 'Loading',
  notAllowed: 'Your role in this organization does not allow this. Its owners and admins can do it.',
  copy: 'Copy',
  command: 'The same by the API',
  copied: (text: string) => `Copied ${text}`,
  notCopied: (text: string) => `The browser does not allow copying. Copy it by hand: ${text}`,
  clear: 'Clear',
  open: 'Open the list',
  more: 'More',
  previousPage: 'Previous',
  nextPage: 'Next',
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
};

const de: typeof en = {
  close: 'Schließen',
  cancel: 'Abbrechen',
  save: 'Speichern',
  delete: 'Löschen',
  messages: 'Meldungen',
  callId: 'Aufruf',
  notLoaded: 'Dieser Teil konnte nicht geladen werden.',
  tryAgain: 'Erneut versuchen',
  loading: 'Wird geladen',
  notAllowed: 'Ihre Rolle in dieser Organisation erlaubt das nicht. Inhaber und Admins können es tun.',
  copy: 'Kopieren',
  command: 'Dasselbe mit der API',
  copied: (text) => `${text} kopiert`,
  notCopied: (text) => `Der Browser erlaubt das Kopieren nicht. Bitte von Hand kopieren: ${text}`,
  clear: 'Leeren',
  open: 'Liste öffnen',
  more: 'Mehr',
  previousPage: 'Zurück',
  nextPage: 'Weiter',
  pageOf: (page, pages) => `Seite ${page} von ${pages}`,
};

/** Words of the components in `ui/`. */
export const useUiWords = createWords({ en, de });
