// Long: all words of the pages of imports, in each language.

import type { ImportFormat } from '#core/imports/formats.ts';
import type { MappedField } from '#core/imports/mapping.ts';
import type { ImportState } from '#core/imports/states.ts';
import type { RowState } from '#console/api/imports.ts';
import { createWords, plural } from '#console/i18n/words.ts';

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

const number = (language: 'en' | 'de', value: number): string => new Intl.NumberFormat(language).format(value);

const en = {
  title: 'Imports',
  newTitle: 'Import links',
  make: 'Import a file',
  export: 'Export all links',
  csv: 'CSV',
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
  rowStates: { imported: 'Imported', skipped: 'Skipped', failed: 'Failed' } satisfies Record<RowState, string>,
  allRows: 'All rows',
  counts: (imported: number, total: number) => `${number('en', imported)} of ${number('en', total)} rows became links`,
  undone: (removed: number) => plural('en', removed, { one: '# link removed', other: '# links removed' }),
  drop: {
    title: 'Drop a file of links here',
    text: 'CSV of Bitly, Dub, Short.io, Rebrandly, YOURLS, Kutt, Shlink, Polr or Waymark, or any table with a column of addresses. Up to 100,000 rows and 20 MB.',
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
    unverified: 'not verified',
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
    later: 'Short links that exist already are skipped while it runs; nothing is overwritten.',
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
    column: 'Column',
    example: 'First value',
    readAs: 'Read as',
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
    tags: 'Tags',
    folder: 'Folder',
    createdAt: 'Made on',
    externalId: 'External id',
    isActive: 'On or off',
    isArchived: 'Archived',
    expiresAt: 'Ends on',
    expiredUrl: 'Destination after the end',
    maxClicks: 'Most clicks',
    cloaking: 'Cloaked',
    forwardQuery: 'Forward the query',
    utmSource: 'UTM source',
    utmMedium: 'UTM medium',
    utmCampaign: 'UTM campaign',
    utmTerm: 'UTM term',
    utmContent: 'UTM content',
  } satisfies Record<MappedField, string>,
  preview: {
    title: (shown: number, total: number) =>
      total <= shown ? 'Its links' : `The first ${number('en', shown)} of ${number('en', total)} rows as links`,
    row: 'Row',
    link: 'Short link',
    destination: 'Destination',
    about: 'Title, tags, folder',
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
  result: {
    gone: 'There is no such import. Imports are kept for 30 days after their end.',
    back: 'To the imports',
    early: (count: number) =>
      plural('en', count, {
        one: 'It ended before # row, which became no link.',
        other: 'It ended before # rows, which became no links.',
      }),
    ignored: (columns: string) => `Columns that were not read: ${columns}`,
    row: 'Row',
    state: 'Result',
    link: 'Link or reason',
    deleted: 'The link is deleted or archived.',
    noRows: 'No row is done yet.',
    noRowsOf: 'No row ended like this.',
    filters: 'Results of rows',
    links: 'See all links',
  },
  fix: {
    button: 'Fix and try these again',
    hint: 'You get a file of the failed rows with the reason in its last column. Mend it, then drop it on any page.',
    done: (count: number) =>
      plural('en', count, {
        one: 'A file with # row is in your downloads. Mend it, then drop it here.',
        other: 'A file with # rows is in your downloads. Mend it, then drop it here.',
      }),
    reading: (done: number, total: number) => `Reading ${number('en', done)} of ${number('en', total)} failed rows`,
    stop: 'Stop',
    failed: 'The file of the failed rows was not made.',
    pickTitle: 'Choose the file once more',
    pickText:
      'The rows as they were are in the file that you imported, which this browser does not have any more. Choose it, and you get its failed rows with the reasons.',
    wrongFile: (rows: number, total: number) =>
      `This is another file: it has ${number('en', rows)} rows, the imported one had ${number('en', total)}.`,
  },
  cancel: {
    button: 'Cancel the import',
    title: 'Cancel this import?',
    text: 'Links that it has made stay, until you undo it. The rows that are left are dropped.',
    confirm: 'Cancel the import',
    keep: 'Let it run',
    done: 'The import is cancelled',
    failed: 'The import was not cancelled.',
  },
  undo: {
    button: 'Undo',
    title: 'Remove the links of this import?',
    text: (count: number) =>
      plural('en', count, {
        one: 'It made # link. Deleted links stop redirecting at once, and cannot be brought back but by importing the file again.',
        other:
          'It made # links. Deleted links stop redirecting at once, and cannot be brought back but by importing the file again.',
      }),
    kept: 'Links that were clicked or edited since then are kept.',
    include: 'Remove links that were clicked or edited, too',
    confirm: 'Remove the links',
    again: 'Remove these too',
    started: 'The links are being removed',
    failed: 'The undo was not started.',
    removed: (count: number) => plural('en', count, { one: '# link is removed', other: '# links are removed' }),
    keptCount: (count: number) =>
      plural('en', count, {
        one: '# link is kept, because it was clicked or edited',
        other: '# links are kept, because they were clicked or edited',
      }),
    before: (count: number) =>
      plural('en', count, { one: '# link had been deleted before', other: '# links had been deleted before' }),
  },
};

const de: typeof en = {
  title: 'Importe',
  newTitle: 'Links importieren',
  make: 'Datei importieren',
  export: 'Alle Links exportieren',
  csv: 'CSV',
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
  rowStates: { imported: 'Importiert', skipped: 'Übersprungen', failed: 'Gescheitert' },
  allRows: 'Alle Zeilen',
  counts: (imported, total) => `Aus ${number('de', imported)} von ${number('de', total)} Zeilen wurden Links`,
  undone: (removed) => plural('de', removed, { one: '# Link entfernt', other: '# Links entfernt' }),
  drop: {
    title: 'Eine Datei mit Links hier ablegen',
    text: 'CSV von Bitly, Dub, Short.io, Rebrandly, YOURLS, Kutt, Shlink, Polr oder Waymark, oder irgendeine Tabelle mit einer Spalte voll Adressen. Bis zu 100.000 Zeilen und 20 MB.',
    pick: 'Datei wählen',
    another: 'Andere Datei',
  },
  file: {
    reading: 'Die Datei wird gelesen',
    rows: (count) => plural('de', count, { one: '# Zeile', other: '# Zeilen' }),
    refused: (message) => `Diese Datei lässt sich nicht importieren. Die Prüfung meldet auf Englisch: ${message}.`,
    empty: 'Die Datei hat eine Kopfzeile und keine Zeilen: Es gibt nichts zu importieren.',
    format: 'Gelesen als',
    domain: 'Domain',
    domainOfRows: 'Wie in den Zeilen, sonst die übliche',
    folder: 'Ordner',
    folderOfRows: 'Wie in den Zeilen, sonst der übliche',
    unverified: 'nicht bestätigt',
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
    later: 'Kurzlinks, die es schon gibt, werden beim Import übersprungen; nichts wird überschrieben.',
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
    column: 'Spalte',
    example: 'Erster Wert',
    readAs: 'Gelesen als',
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
    tags: 'Tags',
    folder: 'Ordner',
    createdAt: 'Angelegt am',
    externalId: 'Externe ID',
    isActive: 'An oder aus',
    isArchived: 'Archiviert',
    expiresAt: 'Endet am',
    expiredUrl: 'Ziel nach dem Ende',
    maxClicks: 'Höchste Klickzahl',
    cloaking: 'Maskiert',
    forwardQuery: 'Abfrage weiterreichen',
    utmSource: 'UTM-Quelle',
    utmMedium: 'UTM-Medium',
    utmCampaign: 'UTM-Kampagne',
    utmTerm: 'UTM-Begriff',
    utmContent: 'UTM-Inhalt',
  },
  preview: {
    title: (shown, total) =>
      total <= shown ? 'Die Links' : `Die ersten ${number('de', shown)} von ${number('de', total)} Zeilen als Links`,
    row: 'Zeile',
    link: 'Kurzlink',
    destination: 'Ziel',
    about: 'Titel, Tags, Ordner',
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
  result: {
    gone: 'Diesen Import gibt es nicht. Importe bleiben 30 Tage nach ihrem Ende.',
    back: 'Zu den Importen',
    early: (count) =>
      plural('de', count, {
        one: 'Er endete vor # Zeile, aus der kein Link wurde.',
        other: 'Er endete vor # Zeilen, aus denen keine Links wurden.',
      }),
    ignored: (columns) => `Spalten, die nicht gelesen wurden: ${columns}`,
    row: 'Zeile',
    state: 'Ergebnis',
    link: 'Link oder Grund',
    deleted: 'Der Link ist gelöscht oder archiviert.',
    noRows: 'Noch ist keine Zeile fertig.',
    noRowsOf: 'Keine Zeile endete so.',
    filters: 'Ergebnisse der Zeilen',
    links: 'Alle Links ansehen',
  },
  fix: {
    button: 'Ausbessern und erneut versuchen',
    hint: 'Sie bekommen eine Datei der gescheiterten Zeilen mit dem Grund in der letzten Spalte. Bessern Sie sie aus, und legen Sie sie auf irgendeiner Seite ab.',
    done: (count) =>
      plural('de', count, {
        one: 'Eine Datei mit # Zeile ist in Ihren Downloads. Bessern Sie sie aus, und legen Sie sie hier ab.',
        other: 'Eine Datei mit # Zeilen ist in Ihren Downloads. Bessern Sie sie aus, und legen Sie sie hier ab.',
      }),
    reading: (done, total) => `${number('de', done)} von ${number('de', total)} gescheiterten Zeilen gelesen`,
    stop: 'Anhalten',
    failed: 'Die Datei der gescheiterten Zeilen wurde nicht erstellt.',
    pickTitle: 'Die Datei noch einmal wählen',
    pickText:
      'Die Zeilen, wie sie waren, stehen in der importierten Datei, die dieser Browser nicht mehr hat. Wählen Sie sie, und Sie bekommen ihre gescheiterten Zeilen mit den Gründen.',
    wrongFile: (rows, total) =>
      `Das ist eine andere Datei: Sie hat ${number('de', rows)} Zeilen, die importierte hatte ${number('de', total)}.`,
  },
  cancel: {
    button: 'Import abbrechen',
    title: 'Diesen Import abbrechen?',
    text: 'Links, die er angelegt hat, bleiben, bis Sie ihn rückgängig machen. Die übrigen Zeilen entfallen.',
    confirm: 'Import abbrechen',
    keep: 'Weiterlaufen lassen',
    done: 'Der Import ist abgebrochen',
    failed: 'Der Import wurde nicht abgebrochen.',
  },
  undo: {
    button: 'Rückgängig machen',
    title: 'Die Links dieses Imports entfernen?',
    text: (count) =>
      plural('de', count, {
        one: 'Er hat # Link angelegt. Gelöschte Links leiten sofort nicht mehr weiter, und nur ein neuer Import der Datei bringt sie zurück.',
        other:
          'Er hat # Links angelegt. Gelöschte Links leiten sofort nicht mehr weiter, und nur ein neuer Import der Datei bringt sie zurück.',
      }),
    kept: 'Links, die seitdem angeklickt oder bearbeitet wurden, bleiben.',
    include: 'Auch Links entfernen, die angeklickt oder bearbeitet wurden',
    confirm: 'Links entfernen',
    again: 'Auch diese entfernen',
    started: 'Die Links werden entfernt',
    failed: 'Das Rückgängigmachen wurde nicht begonnen.',
    removed: (count) => plural('de', count, { one: '# Link ist entfernt', other: '# Links sind entfernt' }),
    keptCount: (count) =>
      plural('de', count, {
        one: '# Link bleibt, weil er angeklickt oder bearbeitet wurde',
        other: '# Links bleiben, weil sie angeklickt oder bearbeitet wurden',
      }),
    before: (count) => plural('de', count, { one: '# Link war schon gelöscht', other: '# Links waren schon gelöscht' }),
  },
};

/** Words of the pages of imports. */
export const useImportWords = createWords({ en, de });
