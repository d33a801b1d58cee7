import type { Texts } from './texts.ts';

/** The pages in German. */
export const de: Texts = {
  bare: {
    title: 'Waymark',
    text: 'Unter dieser Adresse gibt es Kurzlinks. Mit dem Namen eines Links dahinter gelangen Sie an sein Ziel.',
  },
  badRequest: { title: 'Ungültige Anfrage', text: 'Der Server konnte diese Anfrage nicht verstehen.' },
  notFound: {
    title: 'Link nicht gefunden',
    text: 'Unter dieser Adresse gibt es keinen Link. Bitte prüfen Sie, ob sie richtig geschrieben ist.',
  },
  methodNotAllowed: { title: 'Methode nicht erlaubt', text: 'Links lassen sich mit GET und HEAD aufrufen.' },
  timeout: { title: 'Zeit abgelaufen', text: 'Die Anfrage brauchte zu lange, um anzukommen.' },
  gone: {
    title: 'Link abgelaufen',
    text: 'Dieser Link hat einmal zu einem Ziel geführt. Er wird nicht mehr verwendet.',
  },
  tooManyMisses: {
    title: 'Zu viele Anfragen',
    text: 'Aus Ihrem Netz wurden viele Links aufgerufen, die es nicht gibt. Bitte versuchen Sie es in einer Minute wieder.',
  },
  tooManyTries: {
    title: 'Zu viele Versuche',
    text: 'Das Passwort dieses Links wurde zu oft probiert. Bitte warten Sie eine Weile, bevor Sie es erneut versuchen.',
  },
  headersTooLarge: {
    title: 'Anfrage zu groß',
    text: 'Die Kopfzeilen dieser Anfrage sind größer, als dieser Server annimmt.',
  },
  failed: {
    title: 'Etwas ist schiefgegangen',
    text: 'Der Server konnte diese Anfrage nicht beantworten. Der Fehler ist vermerkt.',
  },
  unavailable: {
    title: 'Gerade nicht erreichbar',
    text: 'Dieser Link lässt sich im Moment nicht öffnen. Bitte versuchen Sie es gleich noch einmal.',
  },
  password: {
    title: 'Geschützter Link',
    text: 'Dieser Link öffnet sich mit einem Passwort.',
    label: 'Passwort',
    button: 'Öffnen',
    wrong: 'Das ist nicht das richtige Passwort. Bitte versuchen Sie es noch einmal.',
  },
  deepLink: {
    title: 'Die App wird geöffnet',
    text: 'Wenn nichts geschieht, wählen Sie selbst:',
    app: 'In der App öffnen',
    web: 'Weiter im Browser',
  },
  preview: { link: 'Weiter' },
};
