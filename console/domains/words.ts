import type { DnsReason } from '#core/domains/reasons.ts';
import type { DomainDns } from '#console/api/domains.ts';
import { createWords, plural } from '#console/i18n/words.ts';

/** What a sentence about a record needs. */
interface RecordFacts {
  type: string;
  name: string;
  /** Where the value was found instead. */
  place: string;
}

const en = {
  back: 'All domains',
  gone: 'There is no such domain, or it was deleted',
  add: 'Add a domain',
  name: 'Domain name',
  nameHint: 'A name of your own, such as go.example.com',
  adding: 'Add',
  noneTitle: 'No domain yet',
  noneText:
    'Short links on a name of your own are recognized and trusted. Two DNS records bring a domain into service.',
  found: (count: number) => plural('en', count, { one: '# domain', other: '# domains' }),
  links: (count: number) => plural('en', count, { one: '# link', other: '# links' }),
  notAdded: 'The domain was not added.',
  notSaved: 'The domain was not changed.',
  primary: 'Primary',
  off: 'off',
  states: {
    verified: 'Verified',
    unverified: 'Waits for its records',
    failing: 'Its records are no longer right',
    taken: 'Verified elsewhere',
  } satisfies Record<DomainDns['state'], string>,
  about: {
    verified: 'Short links on this domain work.',
    taken: 'Its records are right, but another organization has verified this name first.',
  },
  publish: {
    one: 'Publish the TXT record at your DNS provider. This page notices by itself.',
    both: 'Publish both records at your DNS provider. This page notices by itself.',
    more: 'Publish the TXT record and one of the others at your DNS provider. This page notices by itself.',
  },
  nowhere:
    'Where this domain has to point is not known here: the operator sets EDGE_HOSTNAME, or EDGE_ADDRESSES, and the record is shown then. Until then only the ownership of the name is checked, and short links on it work once it points to the servers of this installation.',
  isOwned: 'The domain is yours. Whether it points here is not checked.',
  isOff: 'The domain is off: its short links are not answered.',
  failingOff: (left: number) =>
    `The domain is off: its short links are not answered. ${plural('en', left, {
      one: 'After # more failed check it is no longer verified.',
      other: 'After # more failed checks it is no longer verified.',
    })}`,
  failing: (left: number) =>
    plural('en', left, {
      one: 'Short links work still. After # more failed check the domain is no longer verified.',
      other: 'Short links work still. After # more failed checks the domain is no longer verified.',
    }),
  records: 'DNS records',
  type: 'Type',
  recordName: 'Name',
  value: 'Value',
  state: 'Found',
  whole: (name: string) => `in full: ${name}`,
  copyName: (name: string) => `Copy the name ${name}`,
  copyValue: (type: string) => `Copy the value of the ${type} record`,
  right: 'Right',
  notAsked: 'Not looked for yet',
  foundValues: (values: string) => `Found: ${values}`,
  alternatives: 'One of CNAME, A and AAAA is enough.',
  reasons: {
    missing: ({ type }) => `There is no ${type} record of this name yet.`,
    'no-answer': () => 'No name server answered.',
    'zone-appended': ({ place }) =>
      `It is at ${place}: your provider appended the zone itself. Enter the short name there.`,
    quoted: () => 'It has more than the value, such as quotes or spaces. Enter the value alone.',
    'other-value': ({ type }) => `There is a ${type} record with another value.`,
    'other-address': () => 'The name leads to other addresses. Remove those of other servers.',
    'surplus-address': ({ type }) => `An old ${type} record leads elsewhere. Remove it.`,
  } satisfies Record<DnsReason, (facts: RecordFacts) => string> as Record<DnsReason, (facts: RecordFacts) => string>,
  checked: (ago: string) => `Checked ${ago}`,
  neverChecked: 'Not checked yet',
  next: (when: string) => `next check ${when}`,
  daily: (day: string) => `from ${day} once a day`,
  checkNow: 'Check now',
  notChecked: 'The records could not be checked.',
  send: 'Copy for your DNS provider',
  sent: (domain: string) => `The records of ${domain} are copied`,
  letter: (domain: string, lines: string, count: number) =>
    [
      `Please publish these DNS records for ${domain}:`,
      lines,
      'The TXT record proves that the domain is ours.',
      count === 1 ? '' : `${count === 2 ? 'The other one' : 'One of the others'} leads visitors to the short links.`,
    ].join('\n\n'),
  behaviour: 'Behaviour',
  active: 'Short links on this domain are answered',
  offTitle: (domain: string) => `Turn ${domain} off?`,
  offText: 'Its short links are answered as if they did not exist, until you turn it on again. Printed codes stop too.',
  turnOff: 'Turn it off',
  makePrimary: 'Make it the primary domain',
  isPrimary: 'New links are made on this domain.',
  willBePrimary: 'New links will be made on this domain once it is verified and on.',
  mustVerify: 'The domain must be verified first.',
  fallback: 'Address for unknown short links',
  fallbackHint: 'Visitors of a short link that does not exist are led there. Empty: they get a page that says so.',
  qrText: 'New links on this domain begin with this style.',
  picture: (domain: string) => `QR code that leads to ${domain}`,
  saveStyle: 'Save the template',
  apps: 'Apps',
  appsText: 'Files by which phones open links of this domain in your apps, without asking.',
  apple: 'apple-app-site-association',
  android: 'assetlinks.json',
  format: 'Format',
  notJson: (reason: string) => `This is not JSON: ${reason}`,
  usual: 'Fill in the usual case',
  appleId: 'App ID: team and bundle',
  androidPackage: 'Package name',
  androidPrint: 'SHA-256 fingerprint of the certificate',
  take: 'Take over',
  delete: 'Delete the domain',
  deleteText: (count: number) =>
    count === 0
      ? 'No link is on it. Its name is free at once. This cannot be undone.'
      : plural('en', count, {
          one: '# short link goes with it, with its clicks and its QR code. Printed ones stop. This cannot be undone.',
          other: '# short links go with it, with their clicks and QR codes. Printed ones stop. This cannot be undone.',
        }),
  deleted: (domain: string) => `Deleted ${domain}`,
  notDeleted: 'The domain was not deleted.',
};

const de: typeof en = {
  back: 'Alle Domains',
  gone: 'Diese Domain gibt es nicht, oder sie wurde gelöscht',
  add: 'Domain hinzufügen',
  name: 'Name der Domain',
  nameHint: 'Ein eigener Name, zum Beispiel go.example.com',
  adding: 'Hinzufügen',
  noneTitle: 'Noch keine Domain',
  noneText:
    'Kurzlinks unter einem eigenen Namen werden erkannt, und man vertraut ihnen. Zwei DNS-Einträge nehmen eine Domain in Betrieb.',
  found: (count) => plural('de', count, { one: '# Domain', other: '# Domains' }),
  links: (count) => plural('de', count, { one: '# Link', other: '# Links' }),
  notAdded: 'Die Domain wurde nicht hinzugefügt.',
  notSaved: 'Die Domain wurde nicht geändert.',
  primary: 'Bevorzugt',
  off: 'aus',
  states: {
    verified: 'Bestätigt',
    unverified: 'Wartet auf ihre Einträge',
    failing: 'Die Einträge stimmen nicht mehr',
    taken: 'Anderswo bestätigt',
  },
  about: {
    verified: 'Kurzlinks auf dieser Domain funktionieren.',
    taken: 'Die Einträge stimmen, aber eine andere Organisation hat diesen Namen zuerst bestätigt.',
  },
  publish: {
    one: 'Legen Sie bei Ihrem DNS-Anbieter den TXT-Eintrag an. Diese Seite bemerkt es von selbst.',
    both: 'Legen Sie bei Ihrem DNS-Anbieter beide Einträge an. Diese Seite bemerkt es von selbst.',
    more: 'Legen Sie bei Ihrem DNS-Anbieter den TXT-Eintrag und einen der anderen an. Diese Seite bemerkt es von selbst.',
  },
  nowhere:
    'Wohin diese Domain zeigen muss, ist hier nicht bekannt: Der Betreiber setzt EDGE_HOSTNAME oder EDGE_ADDRESSES, dann steht der Eintrag hier. Bis dahin wird nur geprüft, ob der Name Ihnen gehört, und Kurzlinks auf ihr funktionieren, sobald sie auf die Server dieser Installation zeigt.',
  isOwned: 'Die Domain gehört Ihnen. Ob sie hierher zeigt, wird nicht geprüft.',
  isOff: 'Die Domain ist aus: ihre Kurzlinks werden nicht beantwortet.',
  failingOff: (left) =>
    `Die Domain ist aus: ihre Kurzlinks werden nicht beantwortet. ${plural('de', left, {
      one: 'Nach # weiteren fehlgeschlagenen Prüfung ist sie nicht mehr bestätigt.',
      other: 'Nach # weiteren fehlgeschlagenen Prüfungen ist sie nicht mehr bestätigt.',
    })}`,
  failing: (left) =>
    plural('de', left, {
      one: 'Kurzlinks funktionieren noch. Nach # weiterem Fehlschlag ist die Domain nicht mehr bestätigt.',
      other: 'Kurzlinks funktionieren noch. Nach # weiteren Fehlschlägen ist die Domain nicht mehr bestätigt.',
    }),
  records: 'DNS-Einträge',
  type: 'Typ',
  recordName: 'Name',
  value: 'Wert',
  state: 'Gefunden',
  whole: (name) => `vollständig: ${name}`,
  copyName: (name) => `Den Namen ${name} kopieren`,
  copyValue: (type) => `Den Wert des ${type}-Eintrags kopieren`,
  right: 'Richtig',
  notAsked: 'Noch nicht gesucht',
  foundValues: (values) => `Gefunden: ${values}`,
  alternatives: 'Von CNAME, A und AAAA genügt einer.',
  reasons: {
    missing: ({ type }) => `Es gibt noch keinen ${type}-Eintrag dieses Namens.`,
    'no-answer': () => 'Kein Nameserver hat geantwortet.',
    'zone-appended': ({ place }) =>
      `Er steht bei ${place}: Ihr Anbieter hat die Zone selbst angehängt. Geben Sie dort den kurzen Namen ein.`,
    quoted: () => 'Er enthält mehr als den Wert, etwa Anführungszeichen oder Leerzeichen. Geben Sie nur den Wert ein.',
    'other-value': ({ type }) => `Es gibt einen ${type}-Eintrag mit einem anderen Wert.`,
    'other-address': () => 'Der Name führt zu anderen Adressen. Entfernen Sie die anderer Server.',
    'surplus-address': ({ type }) => `Ein alter ${type}-Eintrag führt woandershin. Entfernen Sie ihn.`,
  },
  checked: (ago) => `Geprüft ${ago}`,
  neverChecked: 'Noch nicht geprüft',
  next: (when) => `nächste Prüfung ${when}`,
  daily: (day) => `ab ${day} einmal am Tag`,
  checkNow: 'Jetzt prüfen',
  notChecked: 'Die Einträge konnten nicht geprüft werden.',
  send: 'Für Ihren DNS-Anbieter kopieren',
  sent: (domain) => `Die Einträge von ${domain} sind kopiert`,
  letter: (domain, lines, count) =>
    [
      `Bitte legen Sie diese DNS-Einträge für ${domain} an:`,
      lines,
      'Der TXT-Eintrag beweist, dass die Domain uns gehört.',
      count === 1 ? '' : `${count === 2 ? 'Der andere' : 'Einer der anderen'} führt Besucher zu den Kurzlinks.`,
    ].join('\n\n'),
  behaviour: 'Verhalten',
  active: 'Kurzlinks auf dieser Domain werden beantwortet',
  offTitle: (domain) => `${domain} ausschalten?`,
  offText:
    'Ihre Kurzlinks werden beantwortet, als gäbe es sie nicht, bis Sie sie wieder einschalten. Auch gedruckte Codes enden.',
  turnOff: 'Ausschalten',
  makePrimary: 'Zur bevorzugten Domain machen',
  isPrimary: 'Neue Links entstehen auf dieser Domain.',
  willBePrimary: 'Neue Links entstehen auf dieser Domain, sobald sie geprüft und eingeschaltet ist.',
  mustVerify: 'Die Domain muss erst bestätigt sein.',
  fallback: 'Adresse für unbekannte Kurzlinks',
  fallbackHint: 'Dorthin führt ein Kurzlink, den es nicht gibt. Leer: Besucher bekommen eine Seite, die das sagt.',
  qrText: 'Neue Links auf dieser Domain beginnen mit diesem Aussehen.',
  picture: (domain) => `QR-Code, der zu ${domain} führt`,
  saveStyle: 'Vorlage speichern',
  apps: 'Apps',
  appsText: 'Dateien, durch die Telefone Links dieser Domain ohne Rückfrage in Ihren Apps öffnen.',
  apple: 'apple-app-site-association',
  android: 'assetlinks.json',
  format: 'Ordnen',
  notJson: (reason) => {
    // Browsers say the reason in English.
    const [, line, column] = /line (\d+),? column (\d+)/.exec(reason) ?? [];
    return line === undefined ? 'Das ist kein JSON.' : `Das ist kein JSON: Zeile ${line}, Spalte ${column}`;
  },
  usual: 'Den üblichen Fall ausfüllen',
  appleId: 'App-ID: Team und Bundle',
  androidPackage: 'Paketname',
  androidPrint: 'SHA-256-Fingerabdruck des Zertifikats',
  take: 'Übernehmen',
  delete: 'Domain löschen',
  deleteText: (count) =>
    count === 0
      ? 'Kein Link steht auf ihr. Ihr Name ist sofort frei. Das lässt sich nicht rückgängig machen.'
      : plural('de', count, {
          one: '# Kurzlink geht mit ihr, mit seinen Klicks und seinem QR-Code. Gedruckte enden. Das lässt sich nicht rückgängig machen.',
          other:
            '# Kurzlinks gehen mit ihr, mit ihren Klicks und QR-Codes. Gedruckte enden. Das lässt sich nicht rückgängig machen.',
        }),
  deleted: (domain) => `${domain} ist gelöscht`,
  notDeleted: 'Die Domain wurde nicht gelöscht.',
};

export const useDomainWords = createWords({ en, de });
