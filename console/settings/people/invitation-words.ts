import { createWords } from '#console/i18n/words.ts';

const en = {
  title: 'Invitations',
  invite: 'Invite a person',
  hint: 'They get a mail with a link that works once, for a week.',
  hintNoMail: 'This installation sends no mail: you get a link to pass on, which works once, for a week.',
  role: 'Role',
  send: 'Invite',
  invited: (email: string) => `${email} is invited`,
  notInvited: 'Nobody was invited.',
  none: 'Nobody is invited.',
  states: { pending: 'Open', accepted: 'Joined', revoked: 'Taken back', expired: 'Over' },
  mailed: (when: string) => `mailed ${when}`,
  notMailed: 'the mail is on its way',
  noMail: 'no mail: pass the link on yourself',
  until: (when: string) => `works until ${when}`,
  resend: 'Send again',
  resendTo: (email: string) => `Send again: the invitation to ${email}`,
  resent: (email: string) => `The invitation to ${email} is sent again`,
  revoke: 'Take back',
  revokeOf: (email: string) => `Take back the invitation to ${email}`,
  revoked: (email: string) => `The invitation to ${email} is taken back`,
  notChanged: 'The invitation was not changed.',
  joinUrl: 'This installation sends no mail. Pass this link on yourself; it works once, for a week:',
  copy: 'Copy the link',
  leave: 'Leave the organization',
  leaveTitle: (organization: string) => `Leave ${organization}?`,
  leaveText:
    'Your key and your sessions here end. Links and other things that you made stay. Only an invitation brings you back.',
  leaveNow: 'Leave',
  left: (organization: string) => `You have left ${organization}`,
  notLeft: 'You have not left.',
};

const de: typeof en = {
  title: 'Einladungen',
  invite: 'Person einladen',
  hint: 'Sie bekommt eine Mail mit einem Link, der einmal gilt, eine Woche lang.',
  hintNoMail:
    'Diese Installation sendet keine Mails: Sie bekommen einen Link zum Weitergeben, der einmal gilt, eine Woche lang.',
  role: 'Rolle',
  send: 'Einladen',
  invited: (email) => `${email} ist eingeladen`,
  notInvited: 'Niemand wurde eingeladen.',
  none: 'Niemand ist eingeladen.',
  states: { pending: 'Offen', accepted: 'Beigetreten', revoked: 'Zurückgenommen', expired: 'Vorbei' },
  mailed: (when) => `gesendet ${when}`,
  notMailed: 'die Mail ist unterwegs',
  noMail: 'keine Mail: geben Sie den Link selbst weiter',
  until: (when) => `gilt bis ${when}`,
  resend: 'Noch einmal senden',
  resendTo: (email) => `Noch einmal senden: die Einladung an ${email}`,
  resent: (email) => `Die Einladung an ${email} ist noch einmal unterwegs`,
  revoke: 'Zurücknehmen',
  revokeOf: (email) => `Zurücknehmen: die Einladung an ${email}`,
  revoked: (email) => `Die Einladung an ${email} ist zurückgenommen`,
  notChanged: 'Die Einladung wurde nicht geändert.',
  joinUrl:
    'Diese Installation sendet keine Mails. Geben Sie diesen Link selbst weiter; er gilt einmal, eine Woche lang:',
  copy: 'Link kopieren',
  leave: 'Organisation verlassen',
  leaveTitle: (organization) => `${organization} verlassen?`,
  leaveText:
    'Ihr Schlüssel und Ihre Sitzungen hier enden. Links und anderes, das Sie gemacht haben, bleiben. Nur eine Einladung führt zurück.',
  leaveNow: 'Verlassen',
  left: (organization) => `Sie haben ${organization} verlassen`,
  notLeft: 'Sie haben die Organisation nicht verlassen.',
};

/** Sentences of invitations and of leaving. */
export const useInvitationWords = createWords({ en, de });
