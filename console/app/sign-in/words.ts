import { createWords } from '#console/i18n/words.ts';

const en = {
  forgotTitle: 'Forgot the password?',
  forgotText:
    'Where this installation sends mails, you get one with a link for a new password: it works once, for an hour. Otherwise its operator sets a new one.',
  send: 'Send the mail',
  sendAgain: 'Send it again',
  sent: (email: string) =>
    `If an account has ${email}, and this installation sends mails, one is on its way. Only the newest link works.`,
  back: 'Back to sign-in',
  resetTitle: 'Choose a new password',
  newPassword: 'New password',
  hint: 'At least 8 characters. All other sessions end.',
  save: 'Set the password and sign in',
  done: 'The new password is set',
  ended: 'This link does not work any more: it was used, it is older than an hour, or a newer one was sent.',
  askAgain: 'Ask for a new link',
};

const de: typeof en = {
  forgotTitle: 'Passwort vergessen?',
  forgotText:
    'Wo diese Installation Mails sendet, bekommen Sie eine mit einem Link für ein neues Passwort: Er gilt einmal, eine Stunde lang. Sonst setzt ihr Betreiber ein neues.',
  send: 'Mail senden',
  sendAgain: 'Noch einmal senden',
  sent: (email) =>
    `Falls ein Konto ${email} hat und diese Installation Mails sendet, ist eine unterwegs. Nur der neueste Link gilt.`,
  back: 'Zurück zur Anmeldung',
  resetTitle: 'Neues Passwort wählen',
  newPassword: 'Neues Passwort',
  hint: 'Mindestens 8 Zeichen. Alle anderen Sitzungen enden.',
  save: 'Passwort setzen und anmelden',
  done: 'Das neue Passwort ist gesetzt',
  ended: 'Dieser Link gilt nicht mehr: Er wurde benutzt, ist älter als eine Stunde, oder es gibt einen neueren.',
  askAgain: 'Neuen Link anfordern',
};

export const useResetWords = createWords({ en, de });
