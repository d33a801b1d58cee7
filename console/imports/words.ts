import type { ImportFormat } from '#core/imports/formats.ts';
import type { MappedField } from '#core/imports/mapping.ts';
import type { ImportState } from '#core/imports/states.ts';
import type { RowState } from '#console/api/links/imports.ts';
import { refusalWords } from '#console/api/refusal.ts';
import { nouns, utmNames } from '#console/i18n/nouns.ts';
import { createWords, number, plural } from '#console/i18n/words.ts';

/** Names of services, the same in all languages. */
export const formatNames: Record<Exclude<ImportFormat, 'csv'>, string> = {
  waymark: 'Waymark',
  bitly: 'Bitly',
  yourls: 'YOURLS',
  kutt: 'Kutt',
  shlink: 'Shlink',
  dub: 'Dub',
  shortio: 'Short.io',
  rebrandly: 'Rebrandly',
  polr: 'Polr',
};

const en = {
  newTitle: 'Import links',
  make: 'Import a file',
  export: 'Export all links',
  csv: 'CSV',
  tsv: 'TSV',
  importOf: (format: string) => `Import of a ${format} file`,
  noneTitle: 'No import yet',
  noneText:
    'Bring your links from Bitly, Dub, Short.io, Rebrandly, YOURLS, Kutt, Shlink, Polr or a spreadsheet: drop the file on any page. Imports are listed for 30 days.',
  found: (count: number) => plural('en', count, { one: '# import', other: '# imports' }),
  states: {
    pending: 'Waiting',
    running: 'Running',
    completed: 'Done',
    failed: 'Ended early',
    cancelled: 'Cancelled',
    undoing: 'Being undone',
    undone: 'Undone',
  } satisfies Record<ImportState, string>,
  doneWithFailed: (failed: number) => plural('en', failed, { one: 'Done, # row failed', other: 'Done, # rows failed' }),
  rowStates: { imported: 'Imported', skipped: 'Skipped', failed: 'Failed' } satisfies Record<RowState, string>,
  allRows: 'All rows',
  row: (row: number) => `Row ${number('en', row)}`,
  counts: (imported: number, total: number) => `${number('en', imported)} of ${number('en', total)} rows became links`,
  undone: (removed: number) => plural('en', removed, { one: '# link removed', other: '# links removed' }),
  drop: {
    title: 'Drop a file of links here',
    text: (rows: string, size: string) =>
      `CSV of Bitly, Dub, Short.io, Rebrandly, YOURLS, Kutt, Shlink, Polr or Waymark, or any table with a column of addresses. Up to ${rows} rows and ${size}.`,
    pick: 'Choose a file',
    another: 'Another file',
  },
  file: {
    reading: 'Reading the file',
    rows: (count: number) => plural('en', count, { one: '# row', other: '# rows' }),
    refused: (message: string) =>
      `This file cannot be imported: ${message.startsWith('must') ? `it ${message}` : message}.`,
    empty: 'The file has a header and no rows: there is nothing to import.',
    format: 'Read as',
    domain: 'Domain',
    domainOfRows: 'As the rows say, else the default',
    folder: 'Folder',
    folderOfRows: 'As the rows say, else the default',
  },
  check: {
    title: 'Before it starts',
    checking: (done: number, total: number) => `Checked ${number('en', done)} of ${number('en', total)} rows`,
    ready: (count: number) => plural('en', count, { one: '# row becomes a link', other: '# rows become links' }),
    repeated: (count: number) =>
      plural('en', count, {
        one: '# row repeats another one and is skipped',
        other: '# rows repeat another one and are skipped',
      }),
    failed: (count: number) => plural('en', count, { one: '# row will fail', other: '# rows will fail' }),
    reasons: 'Why rows will fail',
    inRows: (rows: string, more: number) =>
      more > 0 ? `rows ${rows} and ${number('en', more)} more` : rows.includes(',') ? `rows ${rows}` : `row ${rows}`,
    plan: (limit: number, room: number) =>
      `Your plan allows ${number('en', limit)} links, and ${number('en', room)} more fit: the rows after them will fail.`,
    later:
      'Not checked yet: whether short links are free. Those that exist already with the same destination are skipped while it runs; with another one their rows fail. Nothing is overwritten.',
  },
  start: {
    start: 'Start',
    sending: 'Sending the file',
    failed: 'The import was not started.',
    full: 'Three imports are unfinished, the most at a time. Wait for one, or cancel one.',
    noDestination: 'Choose which column holds the destination.',
    started: 'The import has begun',
  },
  columns: {
    title: 'Columns',
    summary: (used: number, all: number) => `${number('en', used)} of ${number('en', all)} are read`,
    readAsOf: (column: string) => `Read ${column} as`,
    unnamed: (place: number) => `Column ${place}`,
    ignored: 'Not read',
    other: 'As it is named',
    reset: 'As recognized',
    missing: 'No column holds the address that links lead to. Choose it here.',
  },
  fields: {
    destination: 'Destination',
    shortUrl: 'Short URL',
    slug: 'Slug',
    domain: 'Domain',
    title: 'Title',
    notes: 'Notes',
    tags: nouns.en.tags,
    folder: 'Folder',
    createdAt: 'Made on',
    externalId: 'External id',
    isActive: 'On or off',
    isArchived: 'Archived',
    expiresAt: 'Ends on',
    expiredUrl: 'Leads here afterwards',
    maxClicks: 'At most this many clicks',
    cloaking: 'Show the page inside the short address',
    forwardQuery: 'Pass on query parameters',
    // No column is read as it, but reasons name it.
    password: 'Password',
    ...utmNames.en,
  } satisfies Record<MappedField | 'password', string>,
  preview: {
    title: (shown: number, total: number) =>
      total <= shown ? 'Its links' : `The first ${number('en', shown)} of ${number('en', total)} rows as links`,
    generated: 'a new slug',
    inFolder: (folder: string) => `in ${folder}`,
  },
  progress: {
    label: 'Progress of the import',
    undoLabel: 'Progress of the undo',
    rows: (done: number, total: number) => `${number('en', done)} of ${number('en', total)} rows`,
    links: (done: number, total: number) => `${number('en', done)} of ${number('en', total)} links`,
    rate: (perSecond: number) => `${number('en', perSecond)} a second`,
    left: (text: string) => `about ${text} left`,
    waiting: 'It begins in a moment.',
    leave: 'You can leave this page: it goes on by itself.',
  },
};

const de: typeof en = {
  newTitle: 'Links importieren',
  make: 'Datei importieren',
  export: 'Alle Links exportieren',
  csv: 'CSV',
  tsv: 'TSV',
  importOf: (format) => `Import einer ${format}-Datei`,
  noneTitle: 'Noch kein Import',
  noneText:
    'Bringen Sie Ihre Links von Bitly, Dub, Short.io, Rebrandly, YOURLS, Kutt, Shlink, Polr oder aus einer Tabelle mit: Legen Sie die Datei auf irgendeiner Seite ab. Importe stehen hier 30 Tage lang.',
  found: (count) => plural('de', count, { one: '# Import', other: '# Importe' }),
  states: {
    pending: 'Wartet',
    running: 'Läuft',
    completed: 'Fertig',
    failed: 'Vorzeitig beendet',
    cancelled: 'Abgebrochen',
    undoing: 'Wird rückgängig gemacht',
    undone: 'Rückgängig gemacht',
  },
  doneWithFailed: (failed) =>
    plural('de', failed, { one: 'Fertig, # Zeile gescheitert', other: 'Fertig, # Zeilen gescheitert' }),
  rowStates: { imported: 'Importiert', skipped: 'Übersprungen', failed: 'Gescheitert' },
  allRows: 'Alle Zeilen',
  row: (row) => `Zeile ${number('de', row)}`,
  counts: (imported, total) => `Aus ${number('de', imported)} von ${number('de', total)} Zeilen wurden Links`,
  undone: (removed) => plural('de', removed, { one: '# Link entfernt', other: '# Links entfernt' }),
  drop: {
    title: 'Eine Datei mit Links hier ablegen',
    text: (rows, size) =>
      `CSV von Bitly, Dub, Short.io, Rebrandly, YOURLS, Kutt, Shlink, Polr oder Waymark, oder irgendeine Tabelle mit einer Spalte voll Adressen. Bis zu ${rows} Zeilen und ${size}.`,
    pick: 'Datei wählen',
    another: 'Andere Datei',
  },
  file: {
    reading: 'Die Datei wird gelesen',
    rows: (count) => plural('de', count, { one: '# Zeile', other: '# Zeilen' }),
    refused: (message) => `Diese Datei lässt sich nicht importieren: ${refusalWords(message)}.`,
    empty: 'Die Datei hat eine Kopfzeile und keine Zeilen: Es gibt nichts zu importieren.',
    format: 'Gelesen als',
    domain: 'Domain',
    domainOfRows: 'Wie in den Zeilen, sonst die übliche',
    folder: 'Ordner',
    folderOfRows: 'Wie in den Zeilen, sonst der übliche',
  },
  check: {
    title: 'Vor dem Start',
    checking: (done, total) => `${number('de', done)} von ${number('de', total)} Zeilen geprüft`,
    ready: (count) => plural('de', count, { one: '# Zeile wird ein Link', other: '# Zeilen werden Links' }),
    repeated: (count) =>
      plural('de', count, {
        one: '# Zeile wiederholt eine andere und wird übersprungen',
        other: '# Zeilen wiederholen eine andere und werden übersprungen',
      }),
    failed: (count) => plural('de', count, { one: '# Zeile wird scheitern', other: '# Zeilen werden scheitern' }),
    reasons: 'Warum Zeilen scheitern werden',
    inRows: (rows, more) =>
      more > 0
        ? `Zeilen ${rows} und ${number('de', more)} weitere`
        : rows.includes(',')
          ? `Zeilen ${rows}`
          : `Zeile ${rows}`,
    plan: (limit, room) =>
      `Ihr Tarif erlaubt ${number('de', limit)} Links, und ${number('de', room)} weitere passen hinein: Die Zeilen danach werden scheitern.`,
    later:
      'Noch nicht geprüft ist, ob Kurzlinks frei sind. Solche, die es mit demselben Ziel schon gibt, werden beim Import übersprungen; mit einem anderen scheitern ihre Zeilen. Nichts wird überschrieben.',
  },
  start: {
    start: 'Starten',
    sending: 'Die Datei wird gesendet',
    failed: 'Der Import wurde nicht gestartet.',
    full: 'Drei Importe sind nicht fertig, mehr gehen nicht zugleich. Warten Sie auf einen, oder brechen Sie einen ab.',
    noDestination: 'Wählen Sie die Spalte mit dem Ziel.',
    started: 'Der Import hat begonnen',
  },
  columns: {
    title: 'Spalten',
    summary: (used, all) => `${number('de', used)} von ${number('de', all)} werden gelesen`,
    readAsOf: (column) => `${column} gelesen als`,
    unnamed: (place) => `Spalte ${place}`,
    ignored: 'Nicht gelesen',
    other: 'Wie benannt',
    reset: 'Wie erkannt',
    missing: 'Keine Spalte enthält die Adresse, zu der die Links führen. Wählen Sie sie hier.',
  },
  fields: {
    destination: 'Ziel',
    shortUrl: 'Kurz-URL',
    slug: 'Slug',
    domain: 'Domain',
    title: 'Titel',
    notes: 'Notizen',
    tags: nouns.de.tags,
    folder: 'Ordner',
    createdAt: 'Angelegt am',
    externalId: 'Externe ID',
    isActive: 'An oder aus',
    isArchived: 'Archiviert',
    expiresAt: 'Endet am',
    expiredUrl: 'Führt danach hierhin',
    maxClicks: 'Höchstens so viele Klicks',
    cloaking: 'Die Seite unter der kurzen Adresse zeigen',
    forwardQuery: 'Query-Parameter weitergeben',
    password: 'Passwort',
    ...utmNames.de,
  },
  preview: {
    title: (shown, total) =>
      total <= shown ? 'Die Links' : `Die ersten ${number('de', shown)} von ${number('de', total)} Zeilen als Links`,
    generated: 'ein neuer Slug',
    inFolder: (folder) => `in ${folder}`,
  },
  progress: {
    label: 'Fortschritt des Imports',
    undoLabel: 'Fortschritt des Rückgängigmachens',
    rows: (done, total) => `${number('de', done)} von ${number('de', total)} Zeilen`,
    links: (done, total) => `${number('de', done)} von ${number('de', total)} Links`,
    rate: (perSecond) => `${number('de', perSecond)} pro Sekunde`,
    left: (text) => `noch etwa ${text}`,
    waiting: 'Gleich geht es los.',
    leave: 'Sie können diese Seite verlassen: Es geht von selbst weiter.',
  },
};

export const useImportWords = createWords({ en, de });
