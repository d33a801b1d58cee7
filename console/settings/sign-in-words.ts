import { createWords } from '#console/i18n/words.ts';

const en = {
  title: 'Sign-in by an identity provider',
  hint: 'People with an e-mail at your domain sign in by OpenID Connect. New ones get an account and become members. Passwords work on, so that nobody is locked out while the provider is away.',
  register: 'Register this address at the provider:',
  copy: 'Copy the address',
  forOwners: 'Only owners set the provider.',
  emailDomain: 'E-mail domain',
  emailDomainHint: 'One of your verified domains.',
  issuer: 'Issuer',
  clientId: 'Client id',
  clientSecret: 'Client secret',
  secretStays: 'Leave it empty to keep the present one; another issuer needs its own.',
  asking: 'Asking the provider…',
  forAdmins: 'Owners and admins of the organization see the provider.',
  remove: 'Remove the provider',
  removeTitle: 'Remove the identity provider?',
  removeText: 'Sign-ins by it end at once, and people sign in by their passwords. Its secret is forgotten.',
  removeNow: 'Remove',
  saved: 'The identity provider is set',
  removed: 'The identity provider is removed',
  notSaved: 'The identity provider was not changed.',
};

const de: typeof en = {
  title: 'Anmeldung über einen Identitätsanbieter',
  hint: 'Personen mit einer E-Mail Ihrer Domain melden sich über OpenID Connect an. Neue bekommen ein Konto und werden Mitglieder. Passwörter gelten weiter, damit niemand ausgesperrt ist, wenn der Anbieter fehlt.',
  register: 'Tragen Sie diese Adresse beim Anbieter ein:',
  copy: 'Adresse kopieren',
  forOwners: 'Nur Eigentümer setzen den Anbieter.',
  emailDomain: 'E-Mail-Domain',
  emailDomainHint: 'Eine Ihrer bestätigten Domains.',
  issuer: 'Aussteller',
  clientId: 'Client-ID',
  clientSecret: 'Client-Geheimnis',
  secretStays: 'Leer lassen, um das jetzige zu behalten; ein anderer Aussteller braucht sein eigenes.',
  asking: 'Der Anbieter wird gefragt …',
  forAdmins: 'Eigentümer und Admins der Organisation sehen den Anbieter.',
  remove: 'Anbieter entfernen',
  removeTitle: 'Identitätsanbieter entfernen?',
  removeText:
    'Anmeldungen über ihn enden sofort, und Personen melden sich mit ihren Passwörtern an. Sein Geheimnis wird vergessen.',
  removeNow: 'Entfernen',
  saved: 'Der Identitätsanbieter ist gesetzt',
  removed: 'Der Identitätsanbieter ist entfernt',
  notSaved: 'Der Identitätsanbieter wurde nicht geändert.',
};

/** Sentences of the sign-in by an identity provider. */
export const useSignInWords = createWords({ en, de });
