/** Why an address was not reached, as adapters/http says it: with the code of the error, where there is one. */
export const connectionsGerman: Readonly<Record<string, string>> = {
  'This is not a URL.': 'Das ist keine Adresse.',
  'Only https addresses are called.': 'Gerufen werden nur Adressen mit https.',
  'An address with user name or password in it is not called.':
    'Adressen mit Benutzernamen oder Passwort werden nicht gerufen.',
  'The host is not at a public address.': 'Der Host hat keine öffentliche Adresse.',
  'The name of the host has no address ({}).': 'Der Name des Hosts hat keine Adresse ({}).',
  'There was no complete answer within {} s.': 'In {} s kam keine vollständige Antwort.',
  'The answer is too long.': 'Die Antwort ist zu lang.',
  'The connection was closed.': 'Die Verbindung wurde geschlossen.',
  'The receiver sent too many interim answers.': 'Der Empfänger hat zu viele Zwischenantworten gesendet.',
  'The connection failed.': 'Die Verbindung kam nicht zustande.',
  'The connection failed ({}).': 'Die Verbindung kam nicht zustande ({}).',
  'The connection was refused.': 'Die Verbindung wurde abgelehnt.',
  'The connection was refused ({}).': 'Die Verbindung wurde abgelehnt ({}).',
  'The connection was reset.': 'Die Verbindung wurde abgebrochen.',
  'The connection was reset ({}).': 'Die Verbindung wurde abgebrochen ({}).',
  'The connection was closed before the answer was complete.':
    'Die Verbindung wurde geschlossen, bevor die Antwort vollständig war.',
  'The connection was closed before the answer was complete ({}).':
    'Die Verbindung wurde geschlossen, bevor die Antwort vollständig war ({}).',
  'The host cannot be reached.': 'Der Host ist nicht erreichbar.',
  'The host cannot be reached ({}).': 'Der Host ist nicht erreichbar ({}).',
  'The connection timed out.': 'Die Verbindung kam nicht rechtzeitig zustande.',
  'The connection timed out ({}).': 'Die Verbindung kam nicht rechtzeitig zustande ({}).',
  'The server speaks no TLS.': 'Der Server spricht kein TLS.',
  'The server speaks no TLS ({}).': 'Der Server spricht kein TLS ({}).',
  'TLS failed.': 'TLS schlug fehl.',
  'TLS failed ({}).': 'TLS schlug fehl ({}).',
  'The answer is not valid HTTP.': 'Die Antwort ist kein gültiges HTTP.',
  'The answer is not valid HTTP ({}).': 'Die Antwort ist kein gültiges HTTP ({}).',
};
