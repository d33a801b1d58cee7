import { connectionsGerman } from './connections-german.ts';
import { importsGerman } from './imports-german.ts';
import { staffGerman } from './staff-german.ts';
import { warningsGerman } from './warnings-german.ts';

// German of what the API refuses, by its English; `{}` stands for a value, in the same order in both. A value that stands here as well, such as
// `a UUID`, is translated too. test/console/i18n/refusals.test.ts finds messages of links that are missing.

/** Of issues: they complete the name of a field in English, and are sentences in German. */
const issues: Record<string, string> = {
  'is required': 'Wird gebraucht',
  'is needed': 'Wird gebraucht',
  'must not be empty': 'Darf nicht leer sein',
  'must be one of {}': 'Muss eines davon sein: {}',
  'must be at most {}': 'Darf höchstens {} sein',
  'must be at least {}': 'Muss mindestens {} sein',
  'must be more than {}': 'Muss mehr als {} sein',
  'must be a multiple of {}': 'Muss ein Vielfaches von {} sein',
  'must have at most {} character': 'Darf höchstens {} Zeichen haben',
  'must have at most {} characters': 'Darf höchstens {} Zeichen haben',
  'must have at least {} characters': 'Muss mindestens {} Zeichen haben',
  'must have {} to {} characters': 'Muss {} bis {} Zeichen haben',
  'must have at most {} items': 'Darf höchstens {} Einträge haben',
  'must have at least {} items': 'Muss mindestens {} Einträge haben',
  'must have at most {} bytes': 'Darf höchstens {} Byte haben',
  'must have at most {} rows': 'Darf höchstens {} Zeilen haben',
  'must have at most {} columns': 'Darf höchstens {} Spalten haben',
  'must be at most {} headers': 'Höchstens {} Header sind möglich',
  'must leave the link at most {} tags': 'Ein Link darf höchstens {} Tags haben',
  'must not be nested deeper than {} levels': 'Darf nicht tiefer als {} Ebenen verschachtelt sein',
  'has the wrong form': 'Hat die falsche Form',
  'is not a known field': 'Ist kein bekanntes Feld',
  'does not exist': 'Gibt es nicht',
  'belongs to another organization': 'Gehört einer anderen Organisation',
  'belongs to the platform': 'Gehört der Plattform',
  'cannot be changed': 'Lässt sich nicht ändern',
  'cannot be changed: add the other name as a new domain':
    'Lässt sich nicht ändern: Fügen Sie den anderen Namen als neue Domain hinzu',
  'cannot be restored': 'Lässt sich nicht zurückholen',
  'is reserved': 'Ist reserviert',
  'is wrong': 'Ist falsch',
  'must be a string': 'Muss ein Text sein',
  'must be a number': 'Muss eine Zahl sein',
  'must be a whole number': 'Muss eine ganze Zahl sein',
  'must be true or false': 'Muss wahr oder falsch sein',
  'must be a list': 'Muss eine Liste sein',
  'must be an object': 'Muss ein Objekt sein',
  'must be a string or an object': 'Muss ein Text oder ein Objekt sein',
  'must be a UUID': 'Muss eine UUID sein',
  'must be a URL': 'Muss eine Adresse sein',
  'must be a date of ISO 8601, such as 2026-01-31': 'Muss ein Datum wie 2026-01-31 sein',
  'must be a date and time of ISO 8601, such as 2026-01-31T12:00:00Z':
    'Muss ein Zeitpunkt wie 2026-01-31T12:00:00Z sein',
  'must be well-formed Unicode': 'Enthält Zeichen, die kein gültiges Unicode sind',
  'must not hold a NUL character': 'Darf kein NUL-Zeichen enthalten',
  'must not hold control characters': 'Darf keine Steuerzeichen enthalten',
  'must not hold line breaks': 'Darf keine Zeilenumbrüche enthalten',
  'must hold a visible character': 'Muss ein sichtbares Zeichen enthalten',
  // Addresses and slugs.
  'must not hold spaces or control characters': 'Darf weder Leerzeichen noch Steuerzeichen enthalten',
  'must be an http or https URL': 'Muss eine Adresse mit http oder https sein',
  'must be an https URL': 'Muss eine Adresse mit https sein',
  'must be an http or https URL, or data:image/… of a picture':
    'Muss eine Adresse mit http oder https sein, oder data:image/… eines Bildes',
  'must not have port 0': 'Darf nicht den Port 0 haben',
  'must not hold a user name or password': 'Darf weder Benutzernamen noch Passwort enthalten',
  'must be a URL with a scheme': 'Muss eine Adresse mit Schema sein',
  'has a scheme that is not allowed': 'Hat ein Schema, das nicht erlaubt ist',
  'its fallback {}': 'Die Ausweichadresse: {}',
  'what it opens {}': 'Was sie öffnet: {}',
  'must be the address alone, without mailto:': 'Muss die Adresse allein sein, ohne mailto:',
  'must be an e-mail address': 'Muss eine E-Mail-Adresse sein',
  'must be a phone number in international form, like +49 30 1234567':
    'Muss eine Telefonnummer mit Landesvorwahl sein, etwa +49 30 1234567',
  'must not hold (0): write the digits that are dialled from abroad':
    'Darf kein (0) enthalten: Schreiben Sie die Ziffern, die man aus dem Ausland wählt',
  'may hold letters, digits, emoji and - _ . ~ only': 'Darf nur Buchstaben, Ziffern, Emoji und - _ . ~ enthalten',
  'must not be only dots and invisible characters': 'Darf nicht nur aus Punkten und unsichtbaren Zeichen bestehen',
  'is the short link itself': 'Ist der Kurzlink selbst',
  'is a short link that leads back to this one': 'Ist ein Kurzlink, der zu diesem zurückführt',
  'is a short link that leads back to this domain': 'Ist ein Kurzlink, der zu dieser Domain zurückführt',
  'must lead to another host than the domain itself': 'Muss zu einem anderen Host als der Domain selbst führen',
  // Fields of links.
  'must have at least one of countries, languages, osTypes':
    'Wählen Sie mindestens ein Land, eine Sprache oder ein System',
  'must be an ISO 3166-1 alpha-2 country': 'Muss ein Land sein, als Code aus zwei Buchstaben',
  'must be an ISO 639-1 language, like de or de-AT': 'Muss eine Sprache sein, etwa de oder de-AT',
  'must be a hex colour like #1a2b3c': 'Muss eine Farbe wie #1a2b3c sein',
  'must be a color like #1a2b3c': 'Muss eine Farbe wie #1a2b3c sein',
  'must be in the future': 'Muss in der Zukunft liegen',
  'must be in the future, or the present one': 'Muss in der Zukunft liegen, oder wie bisher sein',
  'must not be in the future': 'Darf nicht in der Zukunft liegen',
  'must be before the year 10000': 'Muss vor dem Jahr 10000 liegen',
  'is not an image for QR codes of this organization': 'Ist kein Bild für QR-Codes dieser Organisation',
  'is not the id of an uploaded {}': 'Ist keine Datei, die hochgeladen wurde: {}',
  'has a short URL that is too long for a QR code': 'Hat einen Kurzlink, der für einen QR-Code zu lang ist',
  'is not verified yet': 'Ist noch nicht bestätigt',
  'has been changed since': 'Wurde seitdem geändert',
  'is in use by a short link or a domain': 'Wird von einem Kurzlink oder einer Domain benutzt',
  'is the default folder, which cannot be deleted': 'Ist der übliche Ordner, der sich nicht löschen lässt',
  'must be an image, video or PDF file': 'Muss ein Bild, ein Video oder eine PDF-Datei sein',
  // Domains and webhooks.
  'must be a host name alone, without scheme, port or path':
    'Muss ein Hostname allein sein, ohne Schema, Port und Pfad',
  'must be a host name': 'Muss ein Hostname sein',
  'must be a host name, not an address': 'Muss ein Hostname sein, keine IP-Adresse',
  'must have at least two labels, like go.example.com': 'Muss mindestens zwei Teile haben, etwa go.example.com',
  'cannot be taken away: make another domain the primary one':
    'Lässt sich nicht wegnehmen: Machen Sie eine andere Domain zur bevorzugten',
  'must be a header name': 'Muss der Name eines Headers sein',
  'must name each header once': 'Jeder Header darf nur einmal vorkommen',
  'must be visible ASCII, without spaces at its ends': 'Muss sichtbares ASCII sein, ohne Leerzeichen am Rand',
  'must be sent again with a URL of another host': 'Müssen mit der Adresse eines anderen Hosts neu eingegeben werden',
  'The webhook is off: turn it on first.': 'Der Webhook ist aus: Schalten Sie ihn erst ein.',
  'must be an IP address or a range such as 203.0.113.0/24':
    'Muss eine IP-Adresse oder ein Bereich wie 203.0.113.0/24 sein',
  // People and passwords.
  'is not the current password': 'Ist nicht das aktuelle Passwort',
  'is too common: attackers guess such passwords first; choose another one':
    'Ist zu verbreitet: Angreifer raten solche Passwörter zuerst. Wählen Sie ein anderes',
  'is on lists of stolen passwords, which attackers try; choose another one':
    'Steht auf Listen gestohlener Passwörter, die Angreifer probieren. Wählen Sie ein anderes',
  'is needed: no user has this e-mail yet': 'Wird gebraucht: Diese E-Mail hat noch niemand',
  'is needed: no account has this e-mail yet': 'Wird gebraucht: Diese E-Mail hat noch kein Konto',
  'must be six digits': 'Muss sechs Ziffern haben',
  'is wrong, or was used before': 'Ist falsch, oder wurde schon benutzt',
  'is wrong, or too old: look at the clock of the device, and try the next':
    'Ist falsch oder zu alt: Sehen Sie nach der Uhr des Geräts, und nehmen Sie den nächsten',
  'is not one that this page has asked for: try again':
    'Danach hat diese Seite nicht gefragt: Versuchen Sie es noch einmal',
  'is not enough: use your second factor': 'Genügt nicht: Nehmen Sie Ihren zweiten Faktor',
  'is of an invitation that does not work any more: ask for a new one':
    'Diese Einladung gilt nicht mehr: Bitten Sie um eine neue',
  'is of a link that does not work any more: ask for a new one':
    'Dieser Link gilt nicht mehr: Fordern Sie einen neuen an',
  'is of a sign-in that has ended: sign in again': 'Diese Anmeldung ist abgelaufen: Melden Sie sich neu an',
  'is of a confirmation that has ended: try again': 'Diese Bestätigung ist abgelaufen: Versuchen Sie es noch einmal',
  'is of a passkey that has ended: begin again': 'Dieser Passkey ist abgelaufen: Beginnen Sie neu',
  'must stay owner: this is the only owner, and an organization keeps at least one':
    'Muss Eigentümer bleiben: Sonst hat die Organisation keinen',
  'belongs to the only owner: an organization keeps at least one':
    'Ist der einzige Eigentümer: Eine Organisation behält mindestens einen',
  'must be another person than yourself': 'Muss jemand anderes als Sie selbst sein',
  'must be a member of the organization': 'Muss Mitglied der Organisation sein',
  'must be the name of the organization, {}': 'Muss der Name der Organisation sein: {}',
  'must be base64url': 'Muss base64url sein',
  'must be left out: {} has an account and its password': 'Muss fehlen: {} hat ein Konto und dessen Passwort',
  'is of a person without a passkey': 'Gehört zu einer Person ohne Passkey',
  'may be held only by the user key of an owner or admin':
    'Dürfen nur persönliche Schlüssel von Eigentümern und Admins haben',
  'may not be held by a key that is restricted to folders or domains':
    'Dürfen Schlüssel nicht haben, die auf Ordner oder Domains beschränkt sind',
  'must have a prefix of 0 to {} bits': 'Muss ein Präfix von 0 bis {} Bit haben',
  'has bits behind its prefix: {} is the range': 'Hat Bits hinter seinem Präfix: Der Bereich ist {}',
  'must be a domain that this organization has verified: add it under the domains first':
    'Muss eine Domain sein, die diese Organisation bestätigt hat: Fügen Sie sie erst unter Domains hinzu',
  'must be sent again with another issuer': 'Muss mit einem anderen Aussteller neu eingegeben werden',
  'does not answer as an OpenID Connect provider: {}': 'Antwortet nicht als OpenID-Connect-Anbieter: {}',
  'is not from an answer of DELETE /organization': 'Diese Adresse nennt keine Löschung',
  // Pictures.
  'must be an image: {}': 'Muss ein Bild sein: {}',
  'must be a raster image': 'Muss ein Bild aus Pixeln sein',
  'must be a raster image or an icon': 'Muss ein Bild aus Pixeln oder ein Symbol sein',
  'cannot be cleaned': 'Lässt sich nicht bereinigen',
  'is not an image that can be read, or it has too many pixels': 'Ist kein lesbares Bild, oder es hat zu viele Pixel',
  'must be in UTF-8 where it is an SVG image': 'Muss UTF-8 sein, wenn es ein SVG-Bild ist',
  'is not an SVG image that can be read': 'Ist kein lesbares SVG-Bild',
  'has too many elements, or draws them too often': 'Hat zu viele Elemente, oder zeichnet sie zu oft',
  'must not declare entities in a document type': 'Darf keine Entitäten in einem Dokumenttyp erklären',
  // Files and rows of imports.
  'must have a header': 'Muss eine Kopfzeile haben',
  'its header is too long': 'Die Kopfzeile ist zu lang',
  'must be a CSV file, text in UTF-8, UTF-16 or Windows-1252; save it as UTF-8 if it is in another encoding':
    'Muss eine CSV-Datei sein, Text in UTF-8, UTF-16 oder Windows-1252. Speichern Sie sie sonst als UTF-8',
  'must have a column for the destination, such as "destination" or "url"':
    'Muss eine Spalte für das Ziel haben, etwa „destination“ oder „url“',
  'must have a column for the destination, as files of the format "{}" do':
    'Muss eine Spalte für das Ziel haben, wie Dateien im Format „{}“',
  'has only the number {}: write its name into a column "domain", or import its rows with domainId':
    'Hat nur die Nummer {}: Schreiben Sie den Namen in eine Spalte „domain“, oder wählen Sie eine Domain für alle Zeilen',
  'is the second column of this name, and says something else; leave one of them out':
    'Ist die zweite Spalte dieses Namens und sagt etwas anderes. Lassen Sie eine davon weg',
  'is a status of HTTP, and no column is read as the slug: name it "slug", and leave this one out':
    'Ist ein HTTP-Status, und keine Spalte wird als Slug gelesen: Nennen Sie sie „slug“, und lassen Sie diese weg',
  'is not understood, and may mean that this link is turned off; leave the column out to import it active':
    'Ist unverständlich und könnte heißen, dass der Link aus ist. Ohne die Spalte wird er eingeschaltet importiert',
  'is no number of clicks, and how many of maxClicks are left is unknown; write it like 1234':
    'Ist keine Zahl von Klicks, so dass unklar ist, wie viele übrig sind. Schreiben Sie sie wie 1234',
  'may mean no cap or no clicks left; leave the cell empty where there is no cap':
    'Kann keine Grenze oder keine Klicks mehr heißen. Lassen Sie die Zelle leer, wo es keine Grenze gibt',
  'is no moment from 1970 on that can be read; write it like 2026-05-31T08:00:00Z':
    'Ist kein lesbarer Zeitpunkt ab 1970. Schreiben Sie ihn wie 2026-05-31T08:00:00Z',
  'may have the day or the month first, and no row of this column tells; write it like 2026-05-31':
    'Könnte mit dem Tag oder dem Monat beginnen, und keine Zeile der Spalte verrät es. Schreiben Sie es wie 2026-05-31',
  'may be given only once': 'Darf nur einmal vorkommen',
  'names another domain than domain does': 'Nennt eine andere Domain als das Feld Domain',
};

/** Of calls as a whole. */
const calls: Record<string, string> = {
  'The API did not answer.': 'Die API hat nicht geantwortet.',
  'The API answered {}.': 'Die API hat mit {} geantwortet.',
  'This slug is in use.': 'Dieser Slug ist vergeben.',
  'This externalId is in use.': 'Diese externe ID ist vergeben.',
  'This domain exists already.': 'Diese Domain gibt es schon.',
  'A {} with this name exists already.': '{} mit diesem Namen gibt es schon.',
  folder: 'Einen Ordner',
  tag: 'Ein Tag',
  'UTM template': 'Eine UTM-Vorlage',
  'A webhook with this URL exists already.': 'Einen Webhook mit dieser Adresse gibt es schon.',
  'A resource with this identifier exists already.': 'Das gibt es schon.',
  'Another organization has verified this domain.': 'Eine andere Organisation hat diese Domain bestätigt.',
  '{} is a member already.': '{} ist schon Mitglied.',
  '{} is invited already: send the invitation again, or take it back.':
    '{} ist schon eingeladen: Senden Sie die Einladung noch einmal, oder nehmen Sie sie zurück.',
  'This passkey was added before.': 'Dieser Passkey ist schon hinzugefügt.',
  'This {} does not exist.': '{} gibt es nicht.',
  'This {} does not exist: {}.': '{} gibt es nicht: {}.',
  'short link': 'Diesen Kurzlink',
  domain: 'Diese Domain',
  webhook: 'Diesen Webhook',
  import: 'Diesen Import',
  file: 'Diese Datei',
  delivery: 'Diese Zustellung',
  organization: 'Diese Organisation',
  'API key': 'Diesen API-Schlüssel',
  change: 'Diese Änderung',
  'The requested resource does not exist.': 'Das gibt es nicht.',
  'This resource belongs to another organization.': 'Das gehört einer anderen Organisation.',
  'The request log has no such call.': 'Diesen Aufruf kennt das Protokoll nicht.',
  'This import does not exist any more: imports are kept for 30 days.':
    'Diesen Import gibt es nicht mehr: Importe bleiben 30 Tage lang.',
  'There is no domain for this link.': 'Für diesen Link gibt es keine Domain.',
  'There is no such link yet.': 'Diesen Link gibt es noch nicht.',
  'This has been changed in the meantime.': 'Das wurde inzwischen geändert.',
  'The request is not valid.': 'Die Eingaben stimmen nicht.',
  'Your plan allows {} short links.': 'Ihr Tarif erlaubt {} Kurzlinks.',
  'Your plan allows {} tags.': 'Ihr Tarif erlaubt {} Tags.',
  'Your plan allows {} webhooks.': 'Ihr Tarif erlaubt {} Webhooks.',
  'Your plan allows {} folder.': 'Ihr Tarif erlaubt {} Ordner.',
  'Your plan allows {} folders.': 'Ihr Tarif erlaubt {} Ordner.',
  'Your plan allows {} custom domain.': 'Ihr Tarif erlaubt {} eigene Domain.',
  'Your plan allows {} custom domains.': 'Ihr Tarif erlaubt {} eigene Domains.',
  'Your plan allows {} bytes of files; {} are in use.': 'Ihr Tarif erlaubt {} Byte an Dateien; {} sind belegt.',
  'An organization has at most {} UTM templates.': 'Eine Organisation hat höchstens {} UTM-Vorlagen.',
  'A limit of your plan is reached.': 'Eine Grenze Ihres Tarifs ist erreicht.',
  '{} need a Premium subscription.': '{} brauchen den Tarif Premium.',
  '{} needs a Premium subscription.': '{} braucht den Tarif Premium.',
  This: 'Das',
  'The API': 'Die API',
  'This organization is suspended.': 'Diese Organisation ist gesperrt.',
  'The operator says: “{}”': 'Der Betreiber sagt: „{}“',
  'Ask the operator: {}': 'Fragen Sie den Betreiber: {}',
  'Ask the operator of this installation.': 'Fragen Sie den Betreiber dieser Installation.',
  'You are not a member of an organization.': 'Sie sind in keiner Organisation.',
  'An organization has at most {} open invitations: take some back.':
    'Eine Organisation hat höchstens {} offene Einladungen: Nehmen Sie einige zurück.',
  'At most {} invitations are mailed in a day.': 'Am Tag werden höchstens {} Einladungen verschickt.',
  'At most {} imports may be unfinished at a time.': 'Höchstens {} Importe dürfen zugleich unfertig sein.',
  'At most {} bytes of files may be imported in 24 hours.':
    'In 24 Stunden dürfen höchstens {} Byte an Dateien importiert werden.',
  'Too many failed attempts; try again in {} s.': 'Zu viele Fehlversuche. Versuchen Sie es in {} s wieder.',
  'Too many wrong codes; try again in {} s.': 'Zu viele falsche Codes. Versuchen Sie es in {} s wieder.',
  'Too many requests; try again in {} s.': 'Zu viele Anfragen. Versuchen Sie es in {} s wieder.',
  'At most {} MiB of bodies may be sent at a time.': 'Auf einmal lassen sich höchstens {} MiB senden.',
  'Too many {} at once; try again in a moment.': 'Zu viel auf einmal ({}). Versuchen Sie es gleich wieder.',
  'Too many requests.': 'Zu viele Anfragen.',
  'The service is not available for the moment; try again shortly.':
    'Der Dienst ist gerade nicht erreichbar. Versuchen Sie es gleich wieder.',
  'E-mail or password is wrong.': 'E-Mail oder Passwort ist falsch.',
  'The password of your account is wrong.': 'Das Passwort Ihres Kontos ist falsch.',
  'The password has just been changed by another call.': 'Das Passwort wurde gerade anderswo geändert.',
  'You are not signed in any more.': 'Sie sind nicht mehr angemeldet.',
  'You are the only owner: make another person an owner first, or delete the organization.':
    'Sie sind der einzige Eigentümer: Machen Sie erst eine andere Person dazu, oder löschen Sie die Organisation.',
  'Only an owner may invite an owner.': 'Nur Eigentümer dürfen Eigentümer einladen.',
  'The key has ended, and another value would too: give it a later expiresAt first.':
    'Der Schlüssel ist abgelaufen, und ein anderer Wert wäre es auch: Geben Sie ihm zuerst ein späteres Ende.',
  'This invitation has ended already.': 'Diese Einladung ist schon beendet.',
  'This invitation has ended: invite the person again.': 'Diese Einladung ist abgelaufen: Laden Sie neu ein.',
  'This invitation is for {}: sign out, and open its link again.':
    'Diese Einladung ist für {}: Melden Sie sich ab, und öffnen Sie den Link noch einmal.',
  'Recovery codes stand in for a second factor: add one first.':
    'Wiederherstellungscodes ersetzen einen zweiten Faktor: Fügen Sie erst einen hinzu.',
  'No authenticator app waits for its first code: begin again.':
    'Keine Authenticator-App wartet auf ihren ersten Code: Beginnen Sie neu.',
  'You have an authenticator app already: remove it first.':
    'Sie haben schon eine Authenticator-App: Entfernen Sie sie erst.',
  'You have {} passkeys, the most that there can be: remove one first.':
    'Sie haben {} Passkeys, mehr sind nicht möglich: Entfernen Sie erst einen.',
  'You have no authenticator app.': 'Sie haben keine Authenticator-App.',
  'You have no passkey.': 'Sie haben keinen Passkey.',
  'You have no passkey with this id.': 'Diesen Passkey haben Sie nicht.',
  'You have no such app.': 'Diese App haben Sie nicht verbunden.',
  'There is no other session of yours with this id.': 'Diese Anmeldung gibt es nicht mehr.',
  'You are not signed in.': 'Sie sind nicht angemeldet.',
  'This session has ended.': 'Diese Anmeldung ist beendet.',
  'The password has just changed.': 'Das Passwort wurde gerade geändert.',
  'This passkey does not sign anybody in here.': 'Mit diesem Passkey meldet sich hier niemand an.',
  'Passkeys are bound to a host name, and this installation has an IP address (BASE_URL).':
    'Passkeys gehören zu einem Hostnamen, und diese Installation hat eine IP-Adresse (BASE_URL).',
  'Confirm that it is you first: sign in again.': 'Bestätigen Sie erst, dass Sie es sind: Melden Sie sich neu an.',
  'This installation sends no mail: its operator sets SMTP_URL, or your password by `npm run waymark -- user set-password`.':
    'Diese Installation verschickt keine E-Mails: Ihr Betreiber setzt SMTP_URL, oder Ihr Passwort mit `npm run waymark -- user set-password`.',
  'The identity provider of this organization signed you in, and it counts here alone: sign in by your password or a passkey for that.':
    'Der Identitätsanbieter dieser Organisation hat Sie angemeldet, und das gilt nur hier: Melden Sie sich dafür mit Ihrem Passwort oder einem Passkey an.',
  'No identity provider signs people of this domain in: sign in by your password.':
    'Kein Identitätsanbieter meldet Personen dieser Domain an: Nehmen Sie Ihr Passwort.',
  'The identity provider does not answer: try again shortly, or sign in by your password.':
    'Der Identitätsanbieter antwortet nicht: Versuchen Sie es bald wieder, oder nehmen Sie Ihr Passwort.',
  'Another organization signs people of this domain in.': 'Eine andere Organisation meldet Personen dieser Domain an.',
  'This organization has no identity provider.': 'Diese Organisation hat keinen Identitätsanbieter.',
  'Only an owner who is signed in may set how people sign in.':
    'Nur angemeldete Eigentümer legen fest, wie sich Personen anmelden.',
  'You are not a member of this organization.': 'Sie sind kein Mitglied dieser Organisation.',
  'This user is not a member of the organization.': 'Diese Person ist kein Mitglied der Organisation.',
  'An account with this e-mail has just been made: accept with its password.':
    'Ein Konto mit dieser E-Mail ist gerade entstanden: Nehmen Sie mit seinem Passwort an.',
  '{} has just been added.': '{} wurde gerade hinzugefügt.',
  'You cannot remove yourself: leave by POST /auth/organization/leave.':
    'Sich selbst können Sie nicht entfernen: Verlassen Sie die Organisation.',
  'Only an owner may remove an owner.': 'Nur Eigentümer dürfen Eigentümer entfernen.',
  'A member may not remove people.': 'Mitglieder dürfen niemanden entfernen.',
  'Only an owner may transfer the ownership.': 'Nur Eigentümer dürfen die Eigentümerschaft übertragen.',
  'Only an owner may make or unmake an owner.':
    'Nur Eigentümer dürfen jemanden zum Eigentümer machen oder diese Rolle nehmen.',
  'Only an owner may delete the organization.': 'Nur Eigentümer dürfen die Organisation löschen.',
  'The domain of this link is not verified at present.': 'Die Domain dieses Links ist zurzeit nicht bestätigt.',
  'API keys cannot call this: an owner signs in.': 'API-Schlüssel dürfen das nicht: Ein Eigentümer meldet sich an.',
  'There is no organization {}.': 'Die Organisation {} gibt es nicht.',
  'There is no user {}.': 'Die Person {} gibt es nicht.',
  'An organization has at most {} integration keys.': 'Eine Organisation hat höchstens {} Integrationsschlüssel.',
  'An integration key of this organization has this name already.':
    'Einen Integrationsschlüssel mit diesem Namen hat die Organisation schon.',
  'This organization has a bot key already.': 'Diese Organisation hat schon einen Bot-Schlüssel.',
  'This user has a key of this organization already.': 'Diese Person hat schon einen Schlüssel dieser Organisation.',
  'Only the member whose key it is may rotate it: others may revoke it.':
    'Nur die Person, der der Schlüssel gehört, darf ihn erneuern: Andere dürfen ihn widerrufen.',
  'This key may not grant {} beyond its own.': 'Dieser Schlüssel darf nicht mehr gewähren, als er hat: {}.',
  'The operator has taken this short link down: it cannot be turned on.':
    'Der Betreiber hat diesen Kurzlink abgeschaltet: Er lässt sich nicht einschalten.',
  'This short link is not taken down.': 'Dieser Kurzlink ist nicht abgeschaltet.',
  'You look at this organization as staff, read-only: nothing can be changed.':
    'Sie sehen diese Organisation als Personal: Ändern lässt sich nichts.',
  'Deleted files are still being removed; try again later.':
    'Gelöschte Dateien werden noch entfernt. Versuchen Sie es später wieder.',
  'This file is not taken down.': 'Diese Datei ist nicht gesperrt.',
  'The import is over: {}.': 'Der Import ist zu Ende: {}.',
  'This import has not ended. Cancel it, then undo it.':
    'Dieser Import läuft noch. Brechen Sie ihn ab, und machen Sie ihn dann rückgängig.',
  'This row could not be imported.': 'Diese Zeile ließ sich nicht importieren.',
};

/** Of files of imports: what a reader would not expect of them. */
const remarks: Record<string, string> = {
  'The file is not UTF-8: it was read as Windows-1252. Where letters with accents are wrong, save the file as UTF-8 and import that one instead.':
    'Die Datei ist kein UTF-8: Sie wurde als Windows-1252 gelesen. Wo Umlaute falsch sind, speichern Sie sie als UTF-8, und importieren Sie diese.',
  'No column is read as slug or short URL: each link gets a random slug.':
    'Keine Spalte wird als Slug oder Kurz-URL gelesen: Jeder Link bekommt einen zufälligen Slug.',
  'slug: read from "{}"; other columns of slugs ({}) count where it is empty.':
    'Slug: aus „{}“ gelesen; andere Spalten mit Slugs ({}) zählen, wo sie leer ist.',
  'The file has no column for {}: links are imported without them.':
    'Der Datei fehlen Spalten für {}: Links werden ohne sie importiert.',
  passwords: 'Passwörter',
  'end dates': 'Enden',
  'click limits': 'Klickgrenzen',
  'passwords or end dates': 'Passwörter oder Enden',
  'passwords or click limits': 'Passwörter oder Klickgrenzen',
  'end dates or click limits': 'Enden oder Klickgrenzen',
  'passwords or end dates or click limits': 'Passwörter, Enden oder Klickgrenzen',
  'Archived links redirect at this service: they are imported active, with the tag "{}".':
    'Archivierte Links leiten bei diesem Dienst weiter: Sie werden eingeschaltet importiert, mit dem Tag „{}“.',
  'maxClicks: the clicks that a link has had are taken off; a link that has had them all becomes inactive.':
    'Klickgrenze: Die Klicks, die ein Link schon hatte, werden abgezogen; ein Link, der alle hatte, wird ausgeschaltet.',
  'createdAt: dates are read with the {} first where both come before the year.':
    'Angelegt am: Gelesen wird {}, wo Tag und Monat vor dem Jahr stehen.',
  'expiresAt: dates are read with the {} first where both come before the year.':
    'Endet am: Gelesen wird {}, wo Tag und Monat vor dem Jahr stehen.',
  'Columns with values that no field is read from: {}, and {} more.':
    'Spalten mit Werten, aus denen kein Feld gelesen wird: {} und {} weitere.',
  'Columns with values that no field is read from: {}.': 'Spalten mit Werten, aus denen kein Feld gelesen wird: {}.',
  day: 'erst der Tag',
  month: 'erst der Monat',
};

/** German by the API's English. */
export const german: Readonly<Record<string, string>> = {
  ...issues,
  ...calls,
  ...remarks,
  ...importsGerman,
  ...staffGerman,
  ...warningsGerman,
  ...connectionsGerman,
};
