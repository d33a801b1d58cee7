import { uiWords } from '#console/i18n/ui.ts';
import { createWords } from '#console/i18n/words.ts';
import { permissionWords } from '#console/settings/permission-words.ts';

type Texts = Readonly<Record<string, string>>;

const formats = { csv: 'CSV', json: 'JSON' };

const en = {
  /** Names of details that are no fields of the API, or are called otherwise here. */
  names: {
    type: 'key for',
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
    mcpClient: 'through',
    format: 'format',
    honoursGpc: 'heeds visitors who object (GPC)',
  } as Texts,
  /** Words of details, by their names. */
  values: {
    type: { integration: 'a program', bot: 'the organization (bot)', user: 'a person' },
    method: { totp: 'authenticator app', passkey: 'passkey', recoveryCode: 'recovery code' },
    role: uiWords.en.roleNouns,
    from: uiWords.en.roleNouns,
    to: uiWords.en.roleNouns,
    plan: uiWords.en.plans,
    reason: { inviter: 'who invited may not do so any more' },
    threatPolicy: { warn: 'a warning', pass: 'the redirect', block: 'a refusal' },
    outcome: { begun: 'begun', done: 'done', failed: 'failed' },
    format: formats,
    resolution: { acted: 'acted upon', dismissed: 'dismissed' },
  } as Readonly<Record<string, Texts>>,
  ...permissionWords.en,
};

const de: typeof en = {
  names: {
    type: 'Schlüssel für',
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
    mcpClient: 'mit',
    format: 'Format',
    honoursGpc: 'beachtet Besucher, die widersprechen (GPC)',
  },
  values: {
    type: { integration: 'ein Programm', bot: 'die Organisation (Bot)', user: 'eine Person' },
    method: { totp: 'Authenticator-App', passkey: 'Passkey', recoveryCode: 'Wiederherstellungscode' },
    role: uiWords.de.roleNouns,
    from: uiWords.de.roleNouns,
    to: uiWords.de.roleNouns,
    plan: uiWords.de.plans,
    reason: { inviter: 'Wer eingeladen hat, darf es nicht mehr' },
    threatPolicy: { warn: 'eine Warnung', pass: 'die Weiterleitung', block: 'eine Ablehnung' },
    outcome: { begun: 'begonnen', done: 'erledigt', failed: 'gescheitert' },
    format: formats,
    resolution: { acted: 'gehandelt', dismissed: 'verworfen' },
  },
  ...permissionWords.de,
};

/** Words of the details of the audit log, by language. */
export const factWords = { en, de };
export type FactWords = typeof en;

export const useFactWords = createWords(factWords);
