import { createWords, plural } from '#console/i18n/words.ts';

// Apart from the words of links, which are part of the first load.

const en = {
  running: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
  stop: 'Stop',
  done: (count: number) => plural('en', count, { one: '# link changed', other: '# links changed' }),
  failed: (count: number) => plural('en', count, { one: '# link was not changed', other: '# links were not changed' }),
  failedHint: 'They stay selected.',
  undone: 'The change is undone',
  notUndone: 'The change was not undone.',
  csv: 'CSV',
  notExported: 'The links were not exported.',
  codes: 'QR codes',
  codesDone: (count: number) => plural('en', count, { one: '# QR code downloaded', other: '# QR codes downloaded' }),
  codesFailed: 'The QR codes were not downloaded.',
  notDrawn: (count: number) =>
    plural('en', count, { one: '# QR code could not be drawn', other: '# QR codes could not be drawn' }),
  tooManyCodes: (most: number) => `At most ${most.toLocaleString('en')} codes at once: select fewer links.`,
  titles: {
    tag: 'Tag the links',
    untag: 'Take a tag away',
    move: 'Move the links',
    end: 'End of the links',
    destination: 'Destination of the links',
    campaign: 'UTM values of the links',
  },
  endField: 'Date and time',
  destinationField: 'Where all of them lead',
  destinationHint: 'Rules stay. Links that opened an app open this page instead.',
  campaignHint: 'Fields that you leave empty stay as each link has them.',
  emptied: 'Remove the values of fields that are empty here',
  apply: 'Apply',
};

const de: typeof en = {
  running: (done, all) => `${done.toLocaleString('de')} von ${all.toLocaleString('de')}`,
  stop: 'Anhalten',
  done: (count) => plural('de', count, { one: '# Link geändert', other: '# Links geändert' }),
  failed: (count) =>
    plural('de', count, { one: '# Link wurde nicht geändert', other: '# Links wurden nicht geändert' }),
  failedHint: 'Sie bleiben ausgewählt.',
  undone: 'Die Änderung ist rückgängig gemacht',
  notUndone: 'Die Änderung wurde nicht rückgängig gemacht.',
  csv: 'CSV',
  notExported: 'Die Links wurden nicht exportiert.',
  codes: 'QR-Codes',
  codesDone: (count) => plural('de', count, { one: '# QR-Code heruntergeladen', other: '# QR-Codes heruntergeladen' }),
  codesFailed: 'Die QR-Codes wurden nicht heruntergeladen.',
  notDrawn: (count) =>
    plural('de', count, {
      one: '# QR-Code ließ sich nicht zeichnen',
      other: '# QR-Codes ließen sich nicht zeichnen',
    }),
  tooManyCodes: (most) => `Höchstens ${most.toLocaleString('de')} Codes auf einmal: Wählen Sie weniger Links aus.`,
  titles: {
    tag: 'Tag vergeben',
    untag: 'Tag entfernen',
    move: 'Links verschieben',
    end: 'Ende der Links',
    destination: 'Ziel der Links',
    campaign: 'UTM-Werte der Links',
  },
  endField: 'Tag und Uhrzeit',
  destinationField: 'Wohin alle führen',
  destinationHint: 'Regeln bleiben. Links, die eine App öffneten, öffnen stattdessen diese Seite.',
  campaignHint: 'Felder, die Sie leer lassen, bleiben, wie jeder Link sie hat.',
  emptied: 'Werte der Felder entfernen, die hier leer sind',
  apply: 'Anwenden',
};

export const useBulkWords = createWords({ en, de });
