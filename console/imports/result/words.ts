import { createWords, number, plural } from '#console/i18n/words.ts';

const en = {
  result: {
    gone: 'There is no such import. Imports are kept for 30 days after their end.',
    back: 'To the imports',
    early: (count: number) =>
      plural('en', count, {
        one: 'It ended before # row, which became no link.',
        other: 'It ended before # rows, which became no links.',
      }),
    ignored: (columns: string) => `Columns that were not read: ${columns}`,
    deleted: 'The link is deleted or archived.',
    noRows: 'No row is done yet.',
    noRowsOf: 'No row ended like this.',
    filters: 'Results of rows',
    rowsFrom: 'Rows of the file are counted from below its header, without empty ones.',
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
    started: 'The undo has begun',
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
  result: {
    gone: 'Diesen Import gibt es nicht. Importe bleiben 30 Tage nach ihrem Ende.',
    back: 'Zu den Importen',
    early: (count) =>
      plural('de', count, {
        one: 'Er endete vor # Zeile, aus der kein Link wurde.',
        other: 'Er endete vor # Zeilen, aus denen keine Links wurden.',
      }),
    ignored: (columns) => `Spalten, die nicht gelesen wurden: ${columns}`,
    deleted: 'Der Link ist gelöscht oder archiviert.',
    noRows: 'Noch ist keine Zeile fertig.',
    noRowsOf: 'Keine Zeile endete so.',
    filters: 'Ergebnisse der Zeilen',
    rowsFrom: 'Zeilen der Datei sind von unter der Kopfzeile an gezählt, ohne leere.',
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
    started: 'Das Rückgängigmachen hat begonnen',
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

export const useResultWords = createWords({ en, de });
