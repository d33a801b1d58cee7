import { createWords, plural } from '#console/i18n/words.ts';

const en = {
  product: 'Waymark',
  skip: 'Skip to the content',
  navigation: 'Main menu',
  stats: 'Statistics',
  organize: 'Organize',
  settings: 'Settings',
  newLink: 'New link',
  search: 'Search or go to',
  switchOrganization: 'Switch organization',
  account: 'Your account',
  theme: 'Theme',
  themeOf: { system: 'As the system', light: 'Light', dark: 'Dark' },
  languageOf: { en: 'English', de: 'Deutsch' },
  singleKeys: 'Single keys act (c, /, j, k …)',
  signOut: 'Sign out',
  apiReference: 'API reference',
  whatRuns: 'What runs now',
  bell: (count: number) =>
    count === 0
      ? 'What runs now: nothing'
      : plural('en', count, { one: 'What runs now: # process', other: 'What runs now: # processes' }),
  activity: 'Activity',
  keys: 'Keys',
  offline: 'The API does not answer. What you typed is kept; the console tries again by itself.',
  askOperator: 'Ask the operator of this installation.',
  askAt: 'Ask the operator:',
  staff: 'Staff',
  suspendOne: (name: string) => `Suspend ${name}`,
  staffOrganization: 'Staff: organization',
  halted: 'This organization is suspended.',
  viewing: (name: string, until: string) => `You look at ${name} as staff, read-only, until ${until}.`,
  viewingReason: (reason: string) => `Reason: ${reason}`,
  leaveView: 'Leave',
  notFound: {
    title: 'There is no such page',
    text: 'The address may be mistyped, or the page is gone.',
    back: 'To the links',
  },
  broken: {
    title: 'This page failed',
    text: 'The console met an error of its own. Your data is safe.',
    reload: 'Load the page again',
  },
  palette: {
    title: 'Search links, pages and actions',
    placeholder: 'Type a slug, a title, an address, a page',
    pages: 'Pages',
    actions: 'Actions',
    hint: 'Enter opens · Ctrl or Cmd C copies the short link',
  },
};

const de: typeof en = {
  product: 'Waymark',
  skip: 'Zum Inhalt springen',
  navigation: 'Hauptmenü',
  stats: 'Statistik',
  organize: 'Ordnen',
  settings: 'Einstellungen',
  newLink: 'Neuer Link',
  search: 'Suchen oder gehen zu',
  switchOrganization: 'Organisation wechseln',
  account: 'Ihr Konto',
  theme: 'Darstellung',
  themeOf: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
  languageOf: { en: 'English', de: 'Deutsch' },
  singleKeys: 'Einzelne Tasten wirken (c, /, j, k …)',
  signOut: 'Abmelden',
  apiReference: 'API-Referenz',
  whatRuns: 'Was gerade läuft',
  bell: (count) =>
    count === 0
      ? 'Was gerade läuft: nichts'
      : plural('de', count, { one: 'Was gerade läuft: # Vorgang', other: 'Was gerade läuft: # Vorgänge' }),
  activity: 'Aktivität',
  keys: 'Tasten',
  offline: 'Die API antwortet nicht. Getipptes bleibt erhalten; die Konsole versucht es von selbst wieder.',
  askOperator: 'Fragen Sie den Betreiber dieser Installation.',
  askAt: 'Fragen Sie den Betreiber:',
  staff: 'Personal',
  suspendOne: (name) => `${name} sperren`,
  staffOrganization: 'Personal: Organisation',
  halted: 'Diese Organisation ist gesperrt.',
  viewing: (name, until) => `Sie sehen ${name} als Personal an, nur lesend, bis ${until}.`,
  viewingReason: (reason) => `Grund: ${reason}`,
  leaveView: 'Verlassen',
  notFound: {
    title: 'Diese Seite gibt es nicht',
    text: 'Die Adresse ist vielleicht vertippt, oder die Seite ist weg.',
    back: 'Zu den Links',
  },
  broken: {
    title: 'Diese Seite ist gescheitert',
    text: 'In der Konsole ist ein Fehler aufgetreten. Ihre Daten sind sicher.',
    reload: 'Seite neu laden',
  },
  palette: {
    title: 'Links, Seiten und Aktionen suchen',
    placeholder: 'Slug, Titel, Adresse oder Seite tippen',
    pages: 'Seiten',
    actions: 'Aktionen',
    hint: 'Enter öffnet · Strg oder Cmd C kopiert den Kurzlink',
  },
};

/** Words of the frame: menu, sign-in, palette. */
export const useAppWords = createWords({ en, de });
