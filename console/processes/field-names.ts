import { utmNames } from '#console/i18n/nouns.ts';
import { type Language, useLanguage } from '#console/i18n/language.ts';

type Switches = Readonly<Record<string, { on: string; off: string }>>;

const en = {
  true: 'yes',
  false: 'no',
  reason: 'reason',
  role: 'role',
  plan: 'plan',
  destination: 'destination',
  slug: 'short link',
  shortUrl: 'short link',
  domain: 'domain',
  domainId: 'domain',
  folder: 'folder',
  folderId: 'folder',
  tags: 'tags',
  addTags: 'tags',
  removeTags: 'tags',
  title: 'title',
  externalId: 'external id',
  notes: 'note',
  isActive: 'on or off',
  isArchived: 'archived or not',
  isPaused: 'paused or not',
  isPrimary: 'primary or not',
  expiresAt: 'end',
  expiredUrl: 'address after the end',
  maxClicks: 'at most this many clicks',
  password: 'password',
  hasPassword: 'password',
  rules: 'rules',
  cloaking: 'page shown inside the short address',
  forwardQuery: 'passing on query parameters',
  metaTags: 'card',
  qrCode: 'QR code',
  ...utmNames.en,
  name: 'name',
  color: 'colour',
  url: 'address',
  file: 'file',
  email: 'e-mail',
  events: 'events',
  headers: 'headers',
  scope: 'links of the webhook',
  maxPerSecond: 'most requests a second',
  fallbackUrl: 'fallback address',
  appleAppSiteAssociation: 'file for iOS',
  androidAssetLinks: 'file for Android',
};

/** Fields that are on or off, by what a change made of them. */
const enSwitches: Switches = {
  isActive: { on: 'turned on', off: 'turned off' },
  isArchived: { on: 'archived', off: 'restored' },
  isPaused: { on: 'paused', off: 'resumed' },
  isPrimary: { on: 'made primary', off: 'no longer primary' },
  hasPassword: { on: 'password set', off: 'password removed' },
  cloaking: { on: 'page shown inside the short address', off: 'page no longer shown inside the short address' },
  forwardQuery: { on: 'query parameters passed on', off: 'query parameters no longer passed on' },
};

const de: typeof en = {
  true: 'ja',
  false: 'nein',
  reason: 'Grund',
  role: 'Rolle',
  plan: 'Tarif',
  destination: 'Ziel',
  slug: 'Kurzlink',
  shortUrl: 'Kurzlink',
  domain: 'Domain',
  domainId: 'Domain',
  folder: 'Ordner',
  folderId: 'Ordner',
  tags: 'Tags',
  addTags: 'Tags',
  removeTags: 'Tags',
  title: 'Titel',
  externalId: 'externe Id',
  notes: 'Notiz',
  isActive: 'an oder aus',
  isArchived: 'archiviert oder nicht',
  isPaused: 'pausiert oder nicht',
  isPrimary: 'bevorzugt oder nicht',
  expiresAt: 'Ende',
  expiredUrl: 'Adresse nach dem Ende',
  maxClicks: 'höchstens so viele Klicks',
  password: 'Passwort',
  hasPassword: 'Passwort',
  rules: 'Regeln',
  cloaking: 'Seite unter der kurzen Adresse',
  forwardQuery: 'Weitergabe der Query-Parameter',
  metaTags: 'Karte',
  qrCode: 'QR-Code',
  ...utmNames.de,
  name: 'Name',
  color: 'Farbe',
  url: 'Adresse',
  file: 'Datei',
  email: 'E-Mail',
  events: 'Ereignisse',
  headers: 'Header',
  scope: 'Links des Webhooks',
  maxPerSecond: 'höchste Zahl der Anfragen je Sekunde',
  fallbackUrl: 'Ausweichadresse',
  appleAppSiteAssociation: 'Datei für iOS',
  androidAssetLinks: 'Datei für Android',
};

const deSwitches: Switches = {
  isActive: { on: 'eingeschaltet', off: 'ausgeschaltet' },
  isArchived: { on: 'archiviert', off: 'wiederhergestellt' },
  isPaused: { on: 'angehalten', off: 'fortgesetzt' },
  isPrimary: { on: 'bevorzugt', off: 'nicht mehr bevorzugt' },
  hasPassword: { on: 'Passwort gesetzt', off: 'Passwort entfernt' },
  cloaking: { on: 'Seite unter der kurzen Adresse', off: 'Seite nicht mehr unter der kurzen Adresse' },
  forwardQuery: { on: 'Query-Parameter weitergegeben', off: 'Query-Parameter nicht mehr weitergegeben' },
};

/** Names of fields of the API, by language. */
export const fieldNames = { en, de };
const switches = { en: enSwitches, de: deSwitches };

/**
 * @returns what names a field of the API as people read it. With the new value of a field that is on or off it tells what became of it;
 * of another field the value is ignored.
 */
export function useFieldName(): FieldName {
  const language = useLanguage();
  return (field, value) => nameField(language, field, value);
}

export type FieldName = (field: string, value?: unknown) => string;

/** The name of a field that a later version has, as people read it: `roundSize` as round size. */
export function spaced(name: string): string {
  return name.replaceAll(/(?=[A-Z])/g, ' ').toLowerCase();
}

/** The name of a field in a language, as of `useFieldName`. */
export function nameField(language: Language, field: string, value?: unknown): string {
  const names: Readonly<Record<string, string>> = fieldNames[language];
  const state = typeof value === 'boolean' ? switches[language][field] : undefined;
  return state?.[value === true ? 'on' : 'off'] ?? names[field] ?? spaced(field);
}
