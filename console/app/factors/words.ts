import { createWords } from '#console/i18n/words.ts';

const en = {
  confirmTitle: 'Confirm that it is you',
  confirmText: 'This change needs a confirmation. What you did goes on afterwards.',
  signInAnew: 'Sign out and in again: your account has neither a password nor a second factor.',
  notConfirmed: 'The change was not made: it was not confirmed.',
  confirm: 'Confirm',
  goOn: 'Go on',
  code: 'Code of your app',
  codeHint: 'Six digits, from the authenticator app on your phone.',
  recoveryCode: 'Recovery code',
  recoveryHint: 'One of the codes that you kept. Each works once.',
  passkeyText: 'Your browser asks for your passkey.',
  usePasskey: 'Use a passkey',
  others: 'Other ways',
  instead: {
    password: 'Use the password',
    totp: 'Use a code of the app',
    passkey: 'Use a passkey',
    recoveryCode: 'Use a recovery code',
  },
  wrong: 'That is wrong, or was used before.',
  passkeyFailed: 'The browser gave no passkey. Try again, or choose another way.',
  lost: 'Phone and codes are lost? The operator of this installation can help.',
  back: 'Back to the password',
};

const de: typeof en = {
  confirmTitle: 'Bestätigen Sie, dass Sie es sind',
  confirmText: 'Diese Änderung braucht eine Bestätigung. Danach geht es von selbst weiter.',
  signInAnew: 'Melden Sie sich ab und wieder an: Ihr Konto hat weder Passwort noch zweiten Faktor.',
  notConfirmed: 'Nicht geändert: Die Bestätigung fehlt.',
  confirm: 'Bestätigen',
  goOn: 'Weiter',
  code: 'Code Ihrer App',
  codeHint: 'Sechs Ziffern aus der Authenticator-App auf Ihrem Telefon.',
  recoveryCode: 'Wiederherstellungscode',
  recoveryHint: 'Einer der Codes, die Sie aufbewahrt haben. Jeder gilt einmal.',
  passkeyText: 'Ihr Browser fragt nach Ihrem Passkey.',
  usePasskey: 'Passkey verwenden',
  others: 'Andere Wege',
  instead: {
    password: 'Passwort verwenden',
    totp: 'Code der App verwenden',
    passkey: 'Passkey verwenden',
    recoveryCode: 'Wiederherstellungscode verwenden',
  },
  wrong: 'Das ist falsch oder wurde schon benutzt.',
  passkeyFailed: 'Der Browser hat keinen Passkey gegeben. Versuchen Sie es erneut, oder wählen Sie einen anderen Weg.',
  lost: 'Telefon und Codes verloren? Der Betreiber dieser Installation kann helfen.',
  back: 'Zurück zum Passwort',
};

/** Words of the second step of a sign-in, and of confirmations. */
export const useFactorWords = createWords({ en, de });
