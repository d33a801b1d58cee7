import { nouns } from '#console/i18n/nouns.ts';
import { createWords, number, plural } from '#console/i18n/words.ts';

// Apart from the words of links, which are part of the first load.

const en = {
  running: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
  done: (count: number) => plural('en', count, { one: '# link changed', other: '# links changed' }),
  doneOf: (changed: number, count: number) =>
    `${number('en', changed)} of ${number('en', count)} links changed, the others were so already`,
  unchanged: (count: number) =>
    plural('en', count, {
      one: 'Nothing changed: the link was so already',
      other: 'Nothing changed: the # links were so already',
    }),
  failed: (count: number) =>
    plural('en', count, { one: '# link was not changed.', other: '# links were not changed.' }),
  failedHint: (count: number): string => (count === 1 ? 'It stays selected.' : 'They stay selected.'),
  undone: 'The change is undone',
  notUndone: 'The change was not undone.',
  csv: 'CSV',
  notExported: 'The links were not exported.',
  codes: nouns.en.qrCodes,
  codesDone: (count: number) => plural('en', count, { one: '# QR code downloaded', other: '# QR codes downloaded' }),
  codesFailed: 'The QR codes were not downloaded.',
  notDrawn: (count: number) =>
    plural('en', count, { one: '# QR code could not be drawn', other: '# QR codes could not be drawn' }),
  tooManyCodes: (most: number) => `At most ${most.toLocaleString('en')} codes at once: select fewer links.`,
  titles: {
    tag: (links: string) => `Tag ${links}`,
    untag: (links: string) => `Take a tag away from ${links}`,
    move: (links: string) => `Move ${links}`,
    end: (links: string) => `End of ${links}`,
    destination: (links: string) => `Destination of ${links}`,
    campaign: (links: string) => `UTM values of ${links}`,
  },
  links: (count: number) => plural('en', count, { one: '# link', other: '# links' }),
  archiveTitle: (links: string) => `Archive ${links}?`,
  archiveText: (count: number) =>
    `${plural('en', count, { one: '# link stops', other: '# links stop' })} redirecting: visitors, also those of printed links, find no page. Restoring brings them back.`,
  removeEnd: 'Remove the end',
  endField: 'Date and time',
  destinationField: 'Where all of them lead',
  becomes: (address: string) => `All of them will lead to ${address}`,
  destinationHint: 'Rules stay. Links that opened an app open this page instead.',
  campaignHint: 'Fields that you leave empty stay as each link has them.',
  emptied: 'Remove the values of fields that are empty here',
  apply: 'Apply',
  untagThem: 'Untag',
  setEnd: 'End date',
  setDestination: 'Destination',
  setCampaign: 'UTM values',
  deleteTitle: (count: number) => plural('en', count, { one: 'Delete # link?', other: 'Delete # links?' }),
  deleteText: (clicks: number) =>
    `${plural('en', clicks, { one: 'Its # click goes with it', other: 'The # clicks go with it' })}. Visitors of printed links will find no page, and this cannot be undone.`,
  switchOffInstead: 'Switch off instead',
  deleted: (count: number) => plural('en', count, { one: '# link deleted', other: '# links deleted' }),
};

const de: typeof en = {
  running: (done, all) => `${done.toLocaleString('de')} von ${all.toLocaleString('de')}`,
  done: (count) => plural('de', count, { one: '# Link geändert', other: '# Links geändert' }),
  doneOf: (changed, count) =>
    `${number('de', changed)} von ${number('de', count)} Links geändert, die anderen waren schon so`,
  unchanged: (count) =>
    plural('de', count, {
      one: 'Nichts geändert: Der Link war schon so',
      other: 'Nichts geändert: Die # Links waren schon so',
    }),
  failed: (count) =>
    plural('de', count, { one: '# Link wurde nicht geändert.', other: '# Links wurden nicht geändert.' }),
  failedHint: (count) => (count === 1 ? 'Er bleibt ausgewählt.' : 'Sie bleiben ausgewählt.'),
  undone: 'Die Änderung ist rückgängig gemacht',
  notUndone: 'Die Änderung wurde nicht rückgängig gemacht.',
  csv: 'CSV',
  notExported: 'Die Links wurden nicht exportiert.',
  codes: nouns.de.qrCodes,
  codesDone: (count) => plural('de', count, { one: '# QR-Code heruntergeladen', other: '# QR-Codes heruntergeladen' }),
  codesFailed: 'Die QR-Codes wurden nicht heruntergeladen.',
  notDrawn: (count) =>
    plural('de', count, {
      one: '# QR-Code ließ sich nicht zeichnen',
      other: '# QR-Codes ließen sich nicht zeichnen',
    }),
  tooManyCodes: (most) => `Höchstens ${most.toLocaleString('de')} Codes auf einmal: Wählen Sie weniger Links aus.`,
  titles: {
    tag: (links) => `Tag vergeben: ${links}`,
    untag: (links) => `Tag entfernen: ${links}`,
    move: (links) => `${links} verschieben`,
    end: (links) => `Ende: ${links}`,
    destination: (links) => `Ziel: ${links}`,
    campaign: (links) => `UTM-Werte: ${links}`,
  },
  links: (count) => plural('de', count, { one: '# Link', other: '# Links' }),
  archiveTitle: (links) => `${links} archivieren?`,
  archiveText: (count) =>
    `${plural('de', count, { one: '# Link leitet', other: '# Links leiten' })} nicht mehr weiter: Besucher, auch von gedruckten Links, finden keine Seite. Zurückholen macht es rückgängig.`,
  removeEnd: 'Ende entfernen',
  endField: 'Tag und Uhrzeit',
  destinationField: 'Wohin alle führen',
  becomes: (address) => `Alle werden zu ${address} führen`,
  destinationHint: 'Regeln bleiben. Links, die eine App öffneten, öffnen stattdessen diese Seite.',
  campaignHint: 'Felder, die Sie leer lassen, bleiben, wie jeder Link sie hat.',
  emptied: 'Werte der Felder entfernen, die hier leer sind',
  apply: 'Anwenden',
  untagThem: 'Tag entfernen',
  setEnd: 'Ende',
  setDestination: 'Ziel',
  setCampaign: 'UTM-Werte',
  deleteTitle: (count) => plural('de', count, { one: '# Link löschen?', other: '# Links löschen?' }),
  deleteText: (clicks) =>
    `${plural('de', clicks, { one: '# Klick geht mit verloren', other: '# Klicks gehen mit verloren' })}. Besucher gedruckter Links finden keine Seite mehr, und das lässt sich nicht rückgängig machen.`,
  switchOffInstead: 'Stattdessen ausschalten',
  deleted: (count) => plural('de', count, { one: '# Link gelöscht', other: '# Links gelöscht' }),
};

export const useBulkWords = createWords({ en, de });
