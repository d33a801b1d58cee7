import type { ThreatPolicy } from '#core/threats/policy.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { nameThreats } from '#console/i18n/threats.ts';
import { createWords, plural } from '#console/i18n/words.ts';

const en = {
  sentence: {
    active: (to: string) => `Visitors are led to ${to}.`,
    checking: (to: string) => `Visitors are led to ${to}, while the destination is being checked for threats.`,
    inactive: () => 'The link is off: visitors get the answer of a link that does not exist.',
    archived: () => 'The link is archived: it does not redirect, lists leave it out, and its statistics are kept.',
    expired: (when: string, to: string | null) =>
      to === null
        ? `The link ended ${when}: visitors see a page that says so.`
        : `The link ended ${when}: visitors are led to ${to}.`,
    capped: (cap: number) =>
      `The link was made for ${plural('en', cap, { one: '# click', other: '# clicks' })}, and has had them.`,
    flagged: (types: readonly ThreatType[]) =>
      `The destination is on a list of dangerous pages (${nameThreats('en', types)}).`,
    flaggedGet: {
      warn: 'Visitors are warned, and may go on.',
      pass: 'Visitors are led there all the same, as the organization wants it.',
      block: 'Visitors get a page that refuses.',
    } satisfies Record<ThreatPolicy, string>,
  },
  domainOff: (domain: string) => `The domain ${domain} is off: the link is not answered, whatever it says itself.`,
  domainIsOff: 'Domain off',
  ends: (when: string, to: string | null) =>
    to === null ? `It ends ${when}.` : `It ends ${when}; visitors are then led to ${to}.`,
  cap: (used: string, cap: string) => `${used} of ${cap} clicks are used.`,
  password: 'It asks for a password.',
  rules: (count: number) =>
    plural('en', count, { one: '# rule may lead elsewhere.', other: '# rules may lead elsewhere.' }),
  destination: 'Destination',
  about: 'The link',
  meet: 'What visitors meet',
  unserved: {
    missing: 'The answer of a link that does not exist',
    expired: 'A page that says that the link has ended',
    capped: 'A page that says that its clicks are used up',
    blocked: 'A page that refuses: the destination is dangerous',
  },
  first: {
    warning: 'After a warning: the destination is dangerous',
    password: 'After the password',
  },
  everyone: 'Everyone',
  everyoneElse: 'Everyone else',
  tryVisitors: 'Some visitors, and what they get',
  facts: {
    tags: 'Tags',
    campaign: 'UTM values',
    ends: 'Ends',
    cap: 'Clicks used',
    behaviour: 'Behaviour',
    cloaked: 'Shown inside the short address',
    forwardsQuery: 'Passes on query parameters',
    opensApp: 'Opens an app',
    hasPassword: 'Asks for a password',
    externalId: 'External id',
    made: 'Made',
    notes: 'Note',
    card: 'Social preview',
    cardHidden: 'Networks do not show the social preview: the link asks for a password first.',
  },
  clicks: 'clicks in all',
  visits: 'Clicks of the last 7 days',
  countries: 'Countries, last 7 days',
  unknown: 'Unknown',
  noClicks: 'No click in these days.',
  history: 'History',
  story: 'Everything that happened',
  made: 'Made',
  changed: (fields: string) => `Changed: ${fields}`,
  undone: (fields: string) => `Undid a change of: ${fields}`,
  by: (name: string, client: string | null) => `by ${client ? `${client} for ` : ''}${name}`,
  staff: 'the staff of this installation',
  someKey: 'an API key',
  somebody: 'a member',
  undoDone: 'The change is undone',
  notUndone: 'The change was not undone.',
  none: 'none',
  remarks: 'Remarks',
  stats: 'Statistics',
};

const de: typeof en = {
  sentence: {
    active: (to) => `Besucher werden zu ${to} geleitet.`,
    checking: (to) => `Besucher werden zu ${to} geleitet, während das Ziel auf Gefahren geprüft wird.`,
    inactive: () => 'Der Link ist aus: Besucher bekommen die Antwort eines Links, den es nicht gibt.',
    archived: () => 'Der Link ist archiviert: er leitet nicht weiter, Listen lassen ihn aus, seine Statistik bleibt.',
    expired: (when, to) =>
      to === null
        ? `Der Link endete ${when}: Besucher sehen eine Seite, die das sagt.`
        : `Der Link endete ${when}: Besucher werden zu ${to} geleitet.`,
    capped: (cap) =>
      `Der Link war für ${plural('de', cap, { one: '# Klick', other: '# Klicks' })} gemacht und hat sie gehabt.`,
    flagged: (types) => `Das Ziel steht auf einer Liste gefährlicher Seiten (${nameThreats('de', types)}).`,
    flaggedGet: {
      warn: 'Besucher werden gewarnt und können weitergehen.',
      pass: 'Besucher werden dennoch dorthin geleitet, wie es die Organisation will.',
      block: 'Besucher bekommen eine Seite, die ablehnt.',
    },
  },
  domainOff: (domain) =>
    `Die Domain ${domain} ist aus: Der Link wird nicht beantwortet, was auch immer er selbst sagt.`,
  domainIsOff: 'Domain aus',
  ends: (when, to) => (to === null ? `Er endet ${when}.` : `Er endet ${when}; Besucher werden dann zu ${to} geleitet.`),
  cap: (used, cap) => `${used} von ${cap} Klicks sind verbraucht.`,
  password: 'Er fragt nach einem Passwort.',
  rules: (count) =>
    plural('de', count, { one: '# Regel kann anderswohin führen.', other: '# Regeln können anderswohin führen.' }),
  destination: 'Ziel',
  about: 'Der Link',
  meet: 'Was Besucher erwartet',
  unserved: {
    missing: 'Die Antwort eines Links, den es nicht gibt',
    expired: 'Eine Seite, die sagt, dass der Link beendet ist',
    capped: 'Eine Seite, die sagt, dass seine Klicks verbraucht sind',
    blocked: 'Eine Seite, die ablehnt: das Ziel ist gefährlich',
  },
  first: {
    warning: 'Nach einer Warnung: das Ziel ist gefährlich',
    password: 'Nach dem Passwort',
  },
  everyone: 'Alle',
  everyoneElse: 'Alle anderen',
  tryVisitors: 'Einige Besucher, und was sie bekommen',
  facts: {
    tags: 'Tags',
    campaign: 'UTM-Werte',
    ends: 'Ende',
    cap: 'Verbrauchte Klicks',
    behaviour: 'Verhalten',
    cloaked: 'Erscheint unter der kurzen Adresse',
    forwardsQuery: 'Gibt Query-Parameter weiter',
    opensApp: 'Öffnet eine App',
    hasPassword: 'Fragt nach einem Passwort',
    externalId: 'Externe Id',
    made: 'Angelegt',
    notes: 'Notiz',
    card: 'Vorschau in Netzwerken',
    cardHidden: 'Netzwerke zeigen die Vorschau nicht: Der Link fragt zuerst nach einem Passwort.',
  },
  clicks: 'Klicks insgesamt',
  visits: 'Klicks der letzten 7 Tage',
  countries: 'Länder, letzte 7 Tage',
  unknown: 'Unbekannt',
  noClicks: 'Kein Klick in diesen Tagen.',
  history: 'Verlauf',
  story: 'Alles, was geschehen ist',
  made: 'Angelegt',
  changed: (fields) => `Geändert: ${fields}`,
  undone: (fields) => `Änderung rückgängig gemacht: ${fields}`,
  by: (name, client) => `von ${client ? `${client} mit ` : ''}${name}`,
  staff: 'dem Betreiber dieser Installation',
  someKey: 'einem API-Schlüssel',
  somebody: 'einem Mitglied',
  undoDone: 'Die Änderung ist rückgängig gemacht',
  notUndone: 'Die Änderung wurde nicht rückgängig gemacht.',
  none: 'nichts',
  remarks: 'Hinweise',
  stats: 'Statistik',
};

export const useLinkPageWords = createWords({ en, de });
