import { createWords } from '#console/i18n/words.ts';

const en = {
  title: 'This organization is suspended',
  text: (name: string) =>
    `The operator of this installation has suspended ${name}. Its links do not redirect, and its data is kept.`,
  reason: 'The operator says:',
  others: 'Your other organizations',
  toStaff: 'To the staff area',
};

const de: typeof en = {
  title: 'Diese Organisation ist gesperrt',
  text: (name) =>
    `Der Betreiber dieser Installation hat ${name} gesperrt. Ihre Links leiten nicht weiter, ihre Daten bleiben erhalten.`,
  reason: 'Der Betreiber sagt:',
  others: 'Ihre anderen Organisationen',
  toStaff: 'Zum Personalbereich',
};

export const useSuspendedWords = createWords({ en, de });
