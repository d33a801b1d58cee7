import type { OidcProblem } from '#core/organizations/oidc.ts';
import { createWords } from '#console/i18n/words.ts';

const en = {
  title: 'Sign in to Waymark',
  yourself: 'Sign in yourself',
  yourselfWhy:
    'The identity provider of this organization signed you in, and that counts here alone. Your password or a passkey leads to your other organizations and to your own account.',
  submit: 'Sign in',
  wrong: 'E-mail or password is wrong.',
  byPasskey: 'Sign in with a passkey',
  passkeyFailed: 'The browser gave no passkey of yours. Try again, or sign in by your password.',
  forgot: 'Forgot the password?',
  again: 'Sign in again',
  ended: 'Your session has ended. Sign in to go on; nothing that you typed is lost.',
  roleChanged: (role: string, name: string) => `You are ${role} of ${name} now: a change of your role signed you out.`,
  isOut: (name: string) => `You are not a member of ${name} any more.`,
  elsewhere: (address: string) => `This console is served for ${address}. Open it there to sign in.`,
  open: 'Open it there',
  continueWith: (name: string) => `Continue with ${name}`,
  bySso: 'Sign in by your organization',
  emailFirst: 'Type your e-mail first: its domain tells which organization signs you in.',
  noProvider: 'No identity provider signs people of this domain in. Sign in by your password.',
  problems: {
    'provider-away': 'The identity provider does not answer. Try again shortly, or sign in by your password.',
    'provider-refused': 'The identity provider did not sign you in.',
    expired: 'The sign-in took too long, or began in another browser. Begin it again.',
    'email-missing': 'The identity provider named no e-mail that it has checked.',
    'email-domain': 'This identity provider does not speak for your e-mail. Sign in by your password.',
    'unknown-person': 'Nobody here has your e-mail. Ask an admin for an invitation.',
    'no-organization': 'You are not a member of an organization. Ask an admin for an invitation.',
    suspended: 'Your organization is suspended. Ask the operator of this installation why.',
  } satisfies Record<OidcProblem, string>,
};

const de: typeof en = {
  title: 'Bei Waymark anmelden',
  yourself: 'Selbst anmelden',
  yourselfWhy:
    'Der Identitätsanbieter dieser Organisation hat Sie angemeldet, und das gilt nur hier. Ihr Passwort oder ein Passkey führt zu Ihren anderen Organisationen und zu Ihrem eigenen Konto.',
  submit: 'Anmelden',
  wrong: 'E-Mail oder Passwort ist falsch.',
  byPasskey: 'Mit einem Passkey anmelden',
  passkeyFailed:
    'Der Browser hat keinen Passkey von Ihnen gegeben. Versuchen Sie es erneut, oder nehmen Sie Ihr Passwort.',
  forgot: 'Passwort vergessen?',
  again: 'Erneut anmelden',
  ended: 'Ihre Sitzung ist beendet. Melden Sie sich an, um weiterzumachen; nichts Getipptes geht verloren.',
  roleChanged: (role, name) => `Sie sind jetzt ${role} von ${name}: Die Änderung Ihrer Rolle hat Sie abgemeldet.`,
  isOut: (name) => `Sie sind kein Mitglied von ${name} mehr.`,
  elsewhere: (address) => `Diese Konsole gehört zu ${address}. Öffnen Sie sie dort, um sich anzumelden.`,
  open: 'Dort öffnen',
  continueWith: (name) => `Weiter mit ${name}`,
  bySso: 'Über Ihre Organisation anmelden',
  emailFirst: 'Geben Sie erst Ihre E-Mail ein: Ihre Domain sagt, welche Organisation Sie anmeldet.',
  noProvider: 'Kein Identitätsanbieter meldet Personen dieser Domain an. Melden Sie sich mit Ihrem Passwort an.',
  problems: {
    'provider-away':
      'Der Identitätsanbieter antwortet nicht. Versuchen Sie es bald wieder, oder nehmen Sie Ihr Passwort.',
    'provider-refused': 'Der Identitätsanbieter hat Sie nicht angemeldet.',
    expired: 'Die Anmeldung hat zu lange gedauert oder in einem anderen Browser begonnen. Beginnen Sie neu.',
    'email-missing': 'Der Identitätsanbieter hat keine E-Mail genannt, die er geprüft hat.',
    'email-domain': 'Dieser Identitätsanbieter spricht nicht für Ihre E-Mail. Melden Sie sich mit Ihrem Passwort an.',
    'unknown-person': 'Niemand hier hat Ihre E-Mail. Bitten Sie einen Admin um eine Einladung.',
    'no-organization': 'Sie sind in keiner Organisation. Bitten Sie einen Admin um eine Einladung.',
    suspended: 'Ihre Organisation ist gesperrt. Fragen Sie den Betreiber dieser Installation, warum.',
  },
};

export const useSignInWords = createWords({ en, de });
