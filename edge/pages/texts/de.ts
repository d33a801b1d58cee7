import type { Texts } from './texts.ts';

const dates = new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeZone: 'UTC' });
const numbers = new Intl.NumberFormat('de-DE');

export const de: Texts = {
  bare: {
    title: 'Waymark',
    text: 'Unter dieser Adresse gibt es Kurzlinks. Mit dem Namen eines Links dahinter gelangen Sie an sein Ziel.',
  },
  customBare: {
    title: 'Kurzlinks',
    text: 'Unter dieser Adresse gibt es Kurzlinks. Mit dem Namen eines Links dahinter gelangen Sie an sein Ziel.',
  },
  date: (ms) => dates.format(ms),
  count: (value) => numbers.format(value),
  reported: {
    title: 'Vielen Dank',
    text: 'Ihre Meldung ist angekommen. Das Team dieses Dienstes sieht sie sich an.',
  },
  badRequest: { title: 'Ungültige Anfrage', text: 'Der Server konnte diese Anfrage nicht verstehen.' },
  notFound: {
    title: 'Link nicht gefunden',
    text: 'Unter dieser Adresse gibt es keinen Link. Bitte prüfen Sie, ob sie richtig geschrieben ist.',
  },
  methodNotAllowed: { title: 'Methode nicht erlaubt', text: 'Links lassen sich mit GET und HEAD aufrufen.' },
  timeout: { title: 'Zeit abgelaufen', text: 'Die Anfrage brauchte zu lange, um anzukommen.' },
  expired: {
    title: 'Dieser Link ist abgelaufen',
    text: (date) => `Dieser Link galt bis zum ${date}. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.`,
  },
  capped: {
    title: 'Dieser Link ist aufgebraucht',
    text: (visits, written) =>
      visits === 1
        ? 'Dieser Link war für einen Besuch gemacht, und den hat er gehabt.'
        : `Dieser Link war für ${written} Besuche gemacht, und die hat er gehabt.`,
  },
  blocked: {
    title: 'Dieser Link ist gesperrt',
    text: 'Er führt zu einer Seite, die als gefährlich bekannt ist, und öffnet sich deshalb nicht.',
  },
  warning: {
    title: 'Warnung: Dieser Link kann gefährlich sein',
    leadsTo: 'Er führt zu',
    threats: {
      MALWARE: 'Dort wurde Schadsoftware gefunden: Programme, die Ihrem Gerät schaden oder Daten stehlen können.',
      SOCIAL_ENGINEERING:
        'Dort wurde Täuschung gefunden: Seiten, die sich als andere ausgeben, um an Passwörter oder Geld zu kommen.',
      UNWANTED_SOFTWARE: 'Dort wurde unerwünschte Software gefunden: Programme, die mehr tun, als sie sagen.',
      SOCIAL_ENGINEERING_EXTENDED_COVERAGE:
        'Dort gibt es wahrscheinlich Täuschung: Seiten, die sich als andere ausgeben, um an Passwörter oder Geld zu kommen.',
    },
    advice: 'Wenn Sie diese Seite nicht kennen, schließen Sie das Fenster.',
    button: (host) => `Trotzdem weiter zu ${host}`,
  },
  tooManyMisses: {
    title: 'Zu viele Anfragen',
    text: 'Aus Ihrem Netz wurden viele Links aufgerufen, die es nicht gibt. Bitte versuchen Sie es in einer Minute wieder.',
  },
  tooManyReports: {
    title: 'Zu viele Meldungen',
    text: 'Aus Ihrem Netz kamen eben mehrere Meldungen. Bitte versuchen Sie es in einer Minute wieder.',
  },
  tooManyTries: {
    title: 'Zu viele Versuche',
    text: (minutes) =>
      `Für diesen Link wurden zu viele falsche Passwörter eingegeben. In ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} können Sie es wieder versuchen.`,
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
    text: 'Dieser Link lässt sich im Moment nicht öffnen. Bitte versuchen Sie es in einigen Sekunden noch einmal.',
  },
  password: {
    title: 'Geschützter Link',
    text: 'Dieser Link öffnet sich mit einem Passwort.',
    label: 'Passwort',
    show: 'Anzeigen',
    showLabel: 'Passwort anzeigen',
    button: 'Öffnen',
    wrongTitle: 'Falsches Passwort',
    wrong: 'Das ist nicht das richtige Passwort. Bitte versuchen Sie es noch einmal.',
  },
  deepLink: {
    title: 'In der App weiter?',
    text: 'Dieser Link lässt sich in einer App oder im Browser öffnen.',
    app: 'In der App öffnen',
    web: 'Weiter im Browser',
    hint: 'Es hat sich keine App geöffnet. Vielleicht ist sie auf diesem Gerät nicht installiert; im Browser geht es immer.',
  },
  report: {
    link: 'Diesen Link melden',
    title: 'Einen Link melden',
    text: 'Das Team dieses Dienstes sieht ihn sich an. Sie müssen nicht sagen, wer Sie sind.',
    why: 'Was stimmt nicht damit?',
    reasons: {
      phishing: 'Phishing: Er gibt sich als andere Seite aus',
      malware: 'Er verbreitet Schadsoftware',
      spam: 'Er kam mit Spam',
      illegal: 'Er führt zu verbotenen Inhalten',
      other: 'Etwas anderes',
    },
    comment: 'Mehr dazu (freiwillig)',
    button: 'Meldung senden',
  },
  preview: { link: 'Weiter' },
};
