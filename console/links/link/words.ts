import { createWords, plural } from '#console/i18n/words.ts';

const en = {
  sentence: {
    on: (to: string) => `Visitors are led to ${to}.`,
    checking: (to: string) => `Visitors are led to ${to}, while the destination is being checked for threats.`,
    off: () => 'The link is off: visitors get the answer of a link that does not exist.',
    archived: () => 'The link is archived: it does not redirect, lists leave it out, and its statistics are kept.',
    expired: (when: string, to: string | null) =>
      to === null
        ? `The link ended ${when}: visitors see a page that says so.`
        : `The link ended ${when}: visitors are led to ${to}.`,
    capped: (cap: number) =>
      `The link was made for ${plural('en', cap, { one: '# click', other: '# clicks' })}, and has had them.`,
    flagged: (kinds: string) => `The destination is on a list of dangerous pages (${kinds}): visitors are warned.`,
  },
  ends: (when: string) => `It ends ${when}.`,
  cap: (used: string, cap: string) => `${used} of ${cap} clicks are used.`,
  password: 'It asks for a password.',
  rules: (count: number) =>
    plural('en', count, { one: '# rule may lead elsewhere.', other: '# rules may lead elsewhere.' }),
  destination: 'Destination',
  clicks: 'Clicks',
  visits: 'Clicks of the last 7 days',
  countries: 'Countries, last 7 days',
  unknown: 'Unknown',
  noClicks: 'No click in these days.',
  history: 'History',
  story: 'Everything that happened',
  made: 'Made',
  changed: (fields: string) => `Changed: ${fields}`,
  undone: (fields: string) => `Undid a change of: ${fields}`,
  by: (name: string) => `by ${name}`,
  staff: 'the staff of this installation',
  someKey: 'an API key',
  somebody: 'a member',
  undo: 'Undo',
  undoDone: 'The change is undone',
  notUndone: 'The change was not undone.',
  none: 'none',
  set: 'set',
  byApi: 'The same by the API',
  remarks: 'Remarks',
  stats: 'Statistics',
  back: 'Links',
  off: 'Switch off',
  on: 'Switch on',
};

const de: typeof en = {
  sentence: {
    on: (to) => `Besucher werden zu ${to} geleitet.`,
    checking: (to) => `Besucher werden zu ${to} geleitet, während das Ziel auf Gefahren geprüft wird.`,
    off: () => 'Der Link ist aus: Besucher bekommen die Antwort eines Links, den es nicht gibt.',
    archived: () => 'Der Link ist archiviert: er leitet nicht weiter, Listen lassen ihn aus, seine Statistik bleibt.',
    expired: (when, to) =>
      to === null
        ? `Der Link endete ${when}: Besucher sehen eine Seite, die das sagt.`
        : `Der Link endete ${when}: Besucher werden zu ${to} geleitet.`,
    capped: (cap) =>
      `Der Link war für ${plural('de', cap, { one: '# Klick', other: '# Klicks' })} gemacht und hat sie gehabt.`,
    flagged: (kinds) => `Das Ziel steht auf einer Liste gefährlicher Seiten (${kinds}): Besucher werden gewarnt.`,
  },
  ends: (when) => `Er endet ${when}.`,
  cap: (used, cap) => `${used} von ${cap} Klicks sind verbraucht.`,
  password: 'Er fragt nach einem Passwort.',
  rules: (count) =>
    plural('de', count, { one: '# Regel kann anderswohin führen.', other: '# Regeln können anderswohin führen.' }),
  destination: 'Ziel',
  clicks: 'Klicks',
  visits: 'Klicks der letzten 7 Tage',
  countries: 'Länder, letzte 7 Tage',
  unknown: 'Unbekannt',
  noClicks: 'Kein Klick in diesen Tagen.',
  history: 'Verlauf',
  story: 'Alles, was geschehen ist',
  made: 'Angelegt',
  changed: (fields) => `Geändert: ${fields}`,
  undone: (fields) => `Änderung rückgängig gemacht: ${fields}`,
  by: (name) => `von ${name}`,
  staff: 'dem Betreiber dieser Installation',
  someKey: 'einem API-Schlüssel',
  somebody: 'einem Mitglied',
  undo: 'Rückgängig',
  undoDone: 'Die Änderung ist rückgängig gemacht',
  notUndone: 'Die Änderung wurde nicht rückgängig gemacht.',
  none: 'nichts',
  set: 'gesetzt',
  byApi: 'Dasselbe mit der API',
  remarks: 'Hinweise',
  stats: 'Statistik',
  back: 'Links',
  off: 'Ausschalten',
  on: 'Einschalten',
};

/** Words of the page of a link. */
export const useLinkPageWords = createWords({ en, de });
