import { createWords, plural } from '#console/i18n/words.ts';

const en = {
  notChanged: 'The webhook was not changed.',
  pace: 'Most requests in a second',
  paceHint: 'Empty: no limit but ten at a time.',
  headers: 'Headers',
  headersNow: (names: string) => `Every request has ${names}. Values are never shown.`,
  headersHint: 'One on each line, as Name: value. Empty: they stay as they are.',
  headersPlaceholder: 'Authorization: Bearer …',
  removeHeaders: 'Remove all headers',
  wrongLine: (line: number) => `Line ${line} is not a name, a colon and a value.`,
  rotateTitle: 'Make a new secret?',
  rotateText:
    'From then on both secrets sign webhook-signature, for 24 hours: enter the new one on your server meanwhile. The other signature header has the new one at once.',
  rotateConfirm: 'Make a new secret',
  notRotated: 'There is no new secret.',
  oldSigns: (until: string) => `The old secret signs too until ${until}.`,
  recoverTitle: 'Send missed events',
  recoverText:
    'Sends all events from this moment on that your server has not answered with a 2xx: failed ones, held ones, and those from while the webhook was off.',
  since: 'Since',
  sinceHint: 'At most 30 days back. Choose a moment before the trouble began.',
  tooFar: 'At most 30 days back, and not in the future.',
  recoverCount: (failed: number, held: number) =>
    `${plural('en', failed, { one: '# failed delivery', other: '# failed deliveries' })} and ${plural('en', held, { one: '# held one', other: '# held ones' })} since then. Events from while the webhook was off come on top.`,
  recoverConfirm: 'Send them',
  recovered: 'Missed events are being sent',
  notRecovered: 'No missed event was sent.',
  delete: 'Delete the webhook',
  deleteText: 'It gets no more events, and its deliveries are lost. This cannot be undone.',
  deleted: (name: string) => `Deleted ${name}`,
  notDeleted: 'The webhook was not deleted.',
};

const de: typeof en = {
  notChanged: 'Der Webhook wurde nicht geändert.',
  pace: 'Höchstens Anfragen in einer Sekunde',
  paceHint: 'Leer: keine Grenze außer zehn zugleich.',
  headers: 'Header',
  headersNow: (names) => `Jede Anfrage hat ${names}. Werte werden nie gezeigt.`,
  headersHint: 'Einer je Zeile, als Name: Wert. Leer: sie bleiben, wie sie sind.',
  headersPlaceholder: 'Authorization: Bearer …',
  removeHeaders: 'Alle Header entfernen',
  wrongLine: (line) => `Zeile ${line} ist nicht Name, Doppelpunkt und Wert.`,
  rotateTitle: 'Ein neues Geheimnis erzeugen?',
  rotateText:
    'Danach signieren 24 Stunden lang beide Geheimnisse webhook-signature: tragen Sie das neue in dieser Zeit auf Ihrem Server ein. Der andere Signatur-Header hat sofort das neue.',
  rotateConfirm: 'Neues Geheimnis erzeugen',
  notRotated: 'Es gibt kein neues Geheimnis.',
  oldSigns: (until) => `Das alte Geheimnis signiert bis ${until} mit.`,
  recoverTitle: 'Versäumte Ereignisse senden',
  recoverText:
    'Sendet alle Ereignisse ab diesem Zeitpunkt, die Ihr Server nicht mit 2xx beantwortet hat: fehlgeschlagene, zurückgehaltene und solche aus der Zeit, in der der Webhook aus war.',
  since: 'Seit',
  sinceHint: 'Höchstens 30 Tage zurück. Wählen Sie einen Zeitpunkt vor dem Beginn der Störung.',
  tooFar: 'Höchstens 30 Tage zurück und nicht in der Zukunft.',
  recoverCount: (failed, held) =>
    `${plural('de', failed, { one: '# fehlgeschlagene', other: '# fehlgeschlagene' })} und ${plural('de', held, { one: '# zurückgehaltene Zustellung', other: '# zurückgehaltene Zustellungen' })} seitdem. Ereignisse aus der Zeit, in der der Webhook aus war, kommen hinzu.`,
  recoverConfirm: 'Senden',
  recovered: 'Versäumte Ereignisse werden gesendet',
  notRecovered: 'Kein versäumtes Ereignis wurde gesendet.',
  delete: 'Webhook löschen',
  deleteText:
    'Er bekommt keine Ereignisse mehr, und seine Zustellungen gehen verloren. Das lässt sich nicht rückgängig machen.',
  deleted: (name) => `${name} ist gelöscht`,
  notDeleted: 'Der Webhook wurde nicht gelöscht.',
};

export const useDialogWords = createWords({ en, de });
