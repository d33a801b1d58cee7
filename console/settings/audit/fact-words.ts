import { nouns } from '#console/i18n/nouns.ts';
import { uiWords } from '#console/i18n/ui.ts';
import { createWords } from '#console/i18n/words.ts';

type Texts = Readonly<Record<string, string>>;

const en = {
  /** Names of details that are no fields of the API, or are called otherwise here. */
  names: {
    type: 'kind',
    method: 'second factor',
    from: 'from',
    to: 'to',
    permissions: 'it may',
    fields: 'fields',
    allowedAddresses: 'only from',
    folderIds: 'only in folders',
    domainIds: 'only on domains',
    previousUntil: 'the value before works until',
    beganAt: 'began',
    endedAt: 'ended',
    since: 'from',
    until: 'until',
    issuer: 'issuer',
    emailDomain: 'domain of e-mails',
    redirectHost: 'host of the app',
    threatPolicy: 'links to dangerous pages',
    links: 'links',
    sessions: 'sessions ended',
    outcome: 'outcome',
    resolution: 'outcome',
    search: 'search',
    linkId: 'link',
    ownerId: 'owner',
    deliveryId: 'delivery',
  } as Texts,
  /** Words of details, by their names. */
  values: {
    type: { integration: 'integration', bot: 'bot', user: 'person' },
    method: { totp: 'authenticator app', passkey: 'passkey', recoveryCode: 'recovery code' },
    role: uiWords.en.roleNouns,
    from: uiWords.en.roleNouns,
    to: uiWords.en.roleNouns,
    plan: uiWords.en.plans,
    reason: { inviter: 'who invited may not do so any more' },
    threatPolicy: { warn: 'a warning', pass: 'the redirect', block: 'a refusal' },
    outcome: { begun: 'begun', done: 'done', failed: 'failed' },
    resolution: { acted: 'acted upon', dismissed: 'dismissed' },
  } as Readonly<Record<string, Texts>>,
  resources: {
    shortLinks: nouns.en.links,
    stats: 'Statistics',
    domains: nouns.en.domains,
    files: nouns.en.files,
    webhooks: nouns.en.webhooks,
    apiKeys: 'API keys, people, settings',
  } as Texts,
  rights: { create: 'create', read: 'read', update: 'change', delete: 'delete' } as Texts,
};

const de: typeof en = {
  names: {
    type: 'Art',
    method: 'zweiter Faktor',
    from: 'von',
    to: 'zu',
    permissions: 'darf',
    fields: 'Felder',
    allowedAddresses: 'nur von',
    folderIds: 'nur in Ordnern',
    domainIds: 'nur auf Domains',
    previousUntil: 'der Wert davor gilt bis',
    beganAt: 'Anfang',
    endedAt: 'Ende',
    since: 'von',
    until: 'bis',
    issuer: 'Aussteller',
    emailDomain: 'Domain der E-Mails',
    redirectHost: 'Host der App',
    threatPolicy: 'Links zu gefährlichen Seiten',
    links: 'Links',
    sessions: 'beendete Anmeldungen',
    outcome: 'Ergebnis',
    resolution: 'Ergebnis',
    search: 'Suche',
    linkId: 'Link',
    ownerId: 'Eigentümer',
    deliveryId: 'Zustellung',
  },
  values: {
    type: { integration: 'Integration', bot: 'Bot', user: 'Person' },
    method: { totp: 'Authenticator-App', passkey: 'Passkey', recoveryCode: 'Wiederherstellungscode' },
    role: uiWords.de.roleNouns,
    from: uiWords.de.roleNouns,
    to: uiWords.de.roleNouns,
    plan: uiWords.de.plans,
    reason: { inviter: 'Wer eingeladen hat, darf es nicht mehr' },
    threatPolicy: { warn: 'eine Warnung', pass: 'die Weiterleitung', block: 'eine Ablehnung' },
    outcome: { begun: 'begonnen', done: 'erledigt', failed: 'gescheitert' },
    resolution: { acted: 'gehandelt', dismissed: 'verworfen' },
  },
  resources: {
    shortLinks: nouns.de.links,
    stats: 'Statistiken',
    domains: nouns.de.domains,
    files: nouns.de.files,
    webhooks: nouns.de.webhooks,
    apiKeys: 'API-Schlüssel, Personen, Einstellungen',
  },
  rights: { create: 'anlegen', read: 'lesen', update: 'ändern', delete: 'löschen' },
};

/** Words of the details of the audit log, by language. */
export const factWords = { en, de };
export type FactWords = typeof en;

export const useFactWords = createWords(factWords);
