import { createWords } from '#console/i18n/words.ts';

const en = {
  title: 'Join',
  titleOf: (organization: string) => `Join ${organization}`,
  by: (name: string, role: string) => `${name} invites you as ${role}.`,
  byNobody: (role: string) => `You are invited as ${role}.`,
  forEmail: (email: string) => `The invitation is for ${email}.`,
  name: 'Your name',
  newHint: 'At least 8 characters.',
  knownHint: 'Of your Waymark account.',
  join: 'Join and sign in',
  joinAs: (name: string) => `Join as ${name}`,
  other: (email: string) => `You are signed in as ${email}. Joining here signs you out there.`,
  joined: (organization: string) => `You have joined ${organization}`,
  wrong: 'The password of your account is wrong.',
  ended: 'This invitation does not work any more: it was used, taken back, or is older than a week. Ask for a new one.',
  toSignIn: 'To sign-in',
};

const de: typeof en = {
  title: 'Beitreten',
  titleOf: (organization) => `${organization} beitreten`,
  by: (name, role) => `${name} lädt Sie ein, als ${role}.`,
  byNobody: (role) => `Sie sind eingeladen, als ${role}.`,
  forEmail: (email) => `Die Einladung gilt für ${email}.`,
  name: 'Ihr Name',
  newHint: 'Mindestens 8 Zeichen.',
  knownHint: 'Ihres Waymark-Kontos.',
  join: 'Beitreten und anmelden',
  joinAs: (name) => `Als ${name} beitreten`,
  other: (email) => `Sie sind als ${email} angemeldet. Wer hier beitritt, wird dort abgemeldet.`,
  joined: (organization) => `Sie gehören jetzt zu ${organization}`,
  wrong: 'Das Passwort Ihres Kontos ist falsch.',
  ended:
    'Diese Einladung gilt nicht mehr: Sie wurde benutzt, zurückgenommen oder ist älter als eine Woche. Bitten Sie um eine neue.',
  toSignIn: 'Zur Anmeldung',
};

export const useJoinWords = createWords({ en, de });
