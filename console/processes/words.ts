import type { ActivityAction } from '#core/audit/activity.ts';
import { nouns } from '#console/i18n/nouns.ts';
import { createWords, plural } from '#console/i18n/words.ts';

/** What a sentence about a change is made of. */
interface Change {
  who: string;
  what: string;
  /** @param detail its name. */
  count: (detail: string) => number;
}

type Sentences = Partial<Record<ActivityAction, (change: Change) => string>>;

const en = {
  title: 'Activity',
  story: 'Past, now, next',
  past: 'Past',
  now: 'Now',
  next: 'Next',
  nextDays: 'The next 30 days',
  running: 'What runs now',
  nothingRuns: 'Nothing runs right now.',
  nothingComes: 'Nothing is due.',
  nothingPast: 'Nothing has been changed yet.',
  noneFound: 'No change of this kind.',
  all: 'All activity',
  back: 'Back to the link',
  filter: 'Show',
  kinds: {
    all: 'All changes',
    shortLink: nouns.en.links,
    domain: nouns.en.domains,
    webhook: nouns.en.webhooks,
    import: nouns.en.imports,
    folder: nouns.en.folders,
    tag: nouns.en.tags,
    utmTemplate: nouns.en.templates,
    file: nouns.en.files,
  },
  unnamed: {
    shortLink: 'A link',
    domain: 'A domain',
    webhook: 'A webhook',
    import: 'An import',
    folder: 'A folder',
    organization: 'The organization',
    apiKey: 'An API key',
  },
  openProcess: (id: string) => `Open the process ${id} in Temporal`,
  key: (name: string | null) => (name === null ? 'An API key' : `The key “${name}”`),
  member: 'A member',
  clientOfKey: (client: string, name: string | null) =>
    name === null ? `${client} for an API key` : `${client} for the key “${name}”`,
  clientOfMember: (client: string, name: string | null) => `${client} for ${name ?? 'a member'}`,
  staff: 'The staff of this installation',
  system: 'Waymark',
  things: {
    shortLink: (name: string | null) => (name === null ? 'the link' : `the link ${name}`),
    domain: (name: string | null) => `the domain ${name ?? ''}`,
    webhook: (name: string | null) => `the webhook ${name ?? ''}`,
    import: () => 'an import',
    folder: (name: string | null) => `the folder “${name ?? ''}”`,
    tag: (name: string | null) => `the tag “${name ?? ''}”`,
    utmTemplate: (name: string | null) => `the UTM template “${name ?? ''}”`,
    file: (name: string | null) => `the file ${name ?? ''}`,
    organization: () => 'the organization',
  },
  links: (count: number) => plural('en', count, { one: '# link', other: '# links' }),
  made: (who: string, what: string) => `${who} made ${what}`,
  changed: (who: string, what: string, fields: string) =>
    fields === '' ? `${who} changed ${what}` : `${who} changed ${what}: ${fields}`,
  deleted: (who: string, what: string) => `${who} deleted ${what}`,
  /** Of changes that are more than made, changed or deleted. */
  happened: {
    'shortLink.flagged': ({ what }) => `A destination of ${what} was found on a list of dangerous pages`,
    'shortLink.expired': ({ what }) => `The end of ${what} was reached`,
    'domain.created': ({ who, what }) => `${who} added ${what}`,
    'domain.verified': ({ what }) => `The DNS records were right: ${what} is verified`,
    'domain.lost': ({ what }) => `The DNS records were wrong: ${what} is no longer verified`,
    'file.created': ({ who, what }) => `${who} added ${what}`,
    'webhook.secretRotated': ({ who, what }) => `${who} gave ${what} a new secret`,
    'webhook.recovered': ({ who, what }) => `${who} asked to send missed events to ${what}`,
    'webhook.disabled': ({ what }) => `After its failures ${what} was turned off`,
    'import.created': ({ who, count }) =>
      `${who} started ${plural('en', count('rows'), { one: 'an import of # row', other: 'an import of # rows' })}`,
    'import.cancelled': ({ who }) => `${who} cancelled an import`,
    'import.undone': ({ who }) => `${who} undid an import`,
    'import.completed': ({ count }) =>
      `An import ended: ${plural('en', count('imported'), { one: '# link made', other: '# links made' })}, ${count('skipped')} skipped, ${count('failed')} failed`,
  } as Sentences,
  states: {
    scan: {
      clean: 'All destinations are clean',
      waiting: 'Destinations are being checked for threats',
      flagged: 'A destination is on a list of dangerous pages',
    },
    domainCheck: {
      verified: 'The DNS records are right',
      unverified: 'Waits for its DNS records',
      failing: 'The DNS records are no longer right',
      taken: 'The records are right, but the name is verified elsewhere',
    },
    delivery: {
      well: 'Deliveries go out',
      retrying: 'Deliveries are tried again',
      failing: 'Deliveries fail; one at a time is tried until one succeeds',
      paused: 'Deliveries are paused',
      off: 'The webhook is off',
    },
  } as Record<string, Record<string, string>>,
  runs: {
    scan: 'Destinations are checked',
    cap: 'Clicks of its cap are used',
    domainCheck: 'DNS records are checked',
    delivery: 'Events are delivered',
    recovery: 'Missed events are sent',
    import: 'Links are made from the file',
    importUndo: 'Links of the import are removed',
    deletion: 'Deleted links and their clicks are removed',
  },
  comes: {
    linkEnds: 'Ends',
    domainCheck: 'The DNS records are checked again',
    domainLost: 'Its verification is lost, unless the records are mended',
    deliveryAttempt: 'The next delivery is tried',
    webhookProbe: 'One delivery is tried',
    secretEnds: 'The value before the last rotation ends',
    keyEnds: 'The API key ends',
  },
  of: (done: string, total: string) => `${done} of ${total}`,
};

const de: typeof en = {
  title: 'Aktivität',
  story: 'Vorher, jetzt, danach',
  past: 'Vorher',
  now: 'Jetzt',
  next: 'Danach',
  nextDays: 'Die nächsten 30 Tage',
  running: 'Was gerade läuft',
  nothingRuns: 'Gerade läuft nichts.',
  nothingComes: 'Nichts steht an.',
  nothingPast: 'Noch wurde nichts geändert.',
  noneFound: 'Keine Änderung dieser Art.',
  all: 'Alle Aktivität',
  back: 'Zurück zum Link',
  filter: 'Anzeigen',
  kinds: {
    all: 'Alle Änderungen',
    shortLink: nouns.de.links,
    domain: nouns.de.domains,
    webhook: nouns.de.webhooks,
    import: nouns.de.imports,
    folder: nouns.de.folders,
    tag: nouns.de.tags,
    utmTemplate: nouns.de.templates,
    file: nouns.de.files,
  },
  unnamed: {
    shortLink: 'Ein Link',
    domain: 'Eine Domain',
    webhook: 'Ein Webhook',
    import: 'Ein Import',
    folder: 'Ein Ordner',
    organization: 'Die Organisation',
    apiKey: 'Ein API-Schlüssel',
  },
  openProcess: (id) => `Vorgang ${id} in Temporal öffnen`,
  key: (name) => (name === null ? 'Ein API-Schlüssel' : `Der Schlüssel „${name}“`),
  member: 'Ein Mitglied',
  clientOfKey: (client, name) =>
    name === null ? `${client} im Auftrag eines API-Schlüssels` : `${client} im Auftrag des Schlüssels „${name}“`,
  clientOfMember: (client, name) => `${client} im Auftrag von ${name ?? 'einem Mitglied'}`,
  staff: 'Das Personal dieser Installation',
  system: 'Waymark',
  things: {
    shortLink: (name) => (name === null ? 'den Link' : `den Link ${name}`),
    domain: (name) => `die Domain ${name ?? ''}`,
    webhook: (name) => `den Webhook ${name ?? ''}`,
    import: () => 'einen Import',
    folder: (name) => `den Ordner „${name ?? ''}“`,
    tag: (name) => `das Tag „${name ?? ''}“`,
    utmTemplate: (name) => `die UTM-Vorlage „${name ?? ''}“`,
    file: (name) => `die Datei ${name ?? ''}`,
    organization: () => 'die Organisation',
  },
  links: (count) => plural('de', count, { one: '# Link', other: '# Links' }),
  made: (who, what) => `${who} hat ${what} angelegt`,
  changed: (who, what, fields) =>
    fields === '' ? `${who} hat ${what} geändert` : `${who} hat ${what} geändert: ${fields}`,
  deleted: (who, what) => `${who} hat ${what} gelöscht`,
  happened: {
    'shortLink.flagged': ({ what }) => `Eine Liste gefährlicher Seiten enthält ein Ziel; sie betrifft ${what}`,
    'shortLink.expired': ({ what }) => `Das Ende ist erreicht für ${what}`,
    'domain.created': ({ who, what }) => `${who} hat ${what} hinzugefügt`,
    'domain.verified': ({ what }) => `Die DNS-Einträge stimmten; sie bestätigen ${what}`,
    'domain.lost': ({ what }) => `Die DNS-Einträge stimmten nicht; sie bestätigen nicht mehr ${what}`,
    'file.created': ({ who, what }) => `${who} hat ${what} hinzugefügt`,
    'webhook.secretRotated': ({ who, what }) => `${who} hat ein neues Geheimnis erzeugt für ${what}`,
    'webhook.recovered': ({ who, what }) => `${who} hat verpasste Ereignisse angefordert für ${what}`,
    'webhook.disabled': ({ what }) => `Nach Fehlschlägen hat Waymark ausgeschaltet: ${what}`,
    'import.created': ({ who, count }) =>
      `${who} hat ${plural('de', count('rows'), { one: 'einen Import mit # Zeile', other: 'einen Import mit # Zeilen' })} begonnen`,
    'import.cancelled': ({ who }) => `${who} hat einen Import abgebrochen`,
    'import.undone': ({ who }) => `${who} hat einen Import rückgängig gemacht`,
    'import.completed': ({ count }) =>
      `Ein Import ist zu Ende: ${plural('de', count('imported'), { one: '# Link angelegt', other: '# Links angelegt' })}, ${count('skipped')} übersprungen, ${count('failed')} fehlgeschlagen`,
  },
  states: {
    scan: {
      clean: 'Alle Ziele sind sauber',
      waiting: 'Die Ziele werden auf Gefahren geprüft',
      flagged: 'Ein Ziel steht auf einer Liste gefährlicher Seiten',
    },
    domainCheck: {
      verified: 'Die DNS-Einträge stimmen',
      unverified: 'Wartet auf ihre DNS-Einträge',
      failing: 'Die DNS-Einträge stimmen nicht mehr',
      taken: 'Die Einträge stimmen, aber der Name ist anderswo bestätigt',
    },
    delivery: {
      well: 'Ereignisse werden zugestellt',
      retrying: 'Zustellungen werden wiederholt',
      failing: 'Zustellungen schlagen fehl; einzelne werden versucht, bis eine gelingt',
      paused: 'Zustellungen sind angehalten',
      off: 'Der Webhook ist aus',
    },
  },
  runs: {
    scan: 'Die Ziele werden geprüft',
    cap: 'Von der Obergrenze sind Klicks verbraucht',
    domainCheck: 'Die DNS-Einträge werden geprüft',
    delivery: 'Ereignisse werden zugestellt',
    recovery: 'Verpasste Ereignisse werden gesendet',
    import: 'Aus der Datei werden Links angelegt',
    importUndo: 'Die Links des Imports werden entfernt',
    deletion: 'Gelöschte Links und ihre Klicks werden entfernt',
  },
  comes: {
    linkEnds: 'Endet',
    domainCheck: 'Die DNS-Einträge werden erneut geprüft',
    domainLost: 'Die Bestätigung geht verloren, wenn die Einträge so bleiben',
    deliveryAttempt: 'Die nächste Zustellung wird versucht',
    webhookProbe: 'Eine Zustellung wird versucht',
    secretEnds: 'Der Wert vor dem letzten Wechsel endet',
    keyEnds: 'Der API-Schlüssel endet',
  },
  of: (done, total) => `${done} von ${total}`,
};

/** Sentences about what was changed, what runs and what comes. */
export const useProcessWords = createWords({ en, de });

/** Sentences about what was changed, what runs and what comes, in one language. */
export type ProcessWords = typeof en;
