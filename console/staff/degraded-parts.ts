/** What the names of degraded parts mean; longer lines of the API are translated as refusals are. */
export const degradedParts: Readonly<Record<'en' | 'de', Readonly<Record<string, string>>>> = {
  en: {
    database: 'The readiness check of the database failed, or took longer than two seconds.',
    'database: slow': 'The database answers slowly.',
    'database: its disk is full': 'The disk of the database is full.',
    temporal:
      'Temporal cannot be reached, or refuses the connection: webhooks, imports, checks and mails wait. The log of the API has the reason.',
    clickhouse: 'ClickHouse cannot be reached, or refuses the query: statistics cannot be read.',
    storage: 'The storage of files failed its last check: files cannot be uploaded.',
  },
  de: {
    database: 'Die Bereitschaftsprüfung der Datenbank schlug fehl oder dauerte länger als zwei Sekunden.',
    'database: slow': 'Die Datenbank antwortet langsam.',
    'database: its disk is full': 'Der Datenträger der Datenbank ist voll.',
    temporal:
      'Temporal ist nicht erreichbar oder weist die Verbindung ab: Webhooks, Importe, Prüfungen und Mails warten. Den Grund nennt das Log der API.',
    clickhouse: 'ClickHouse ist nicht erreichbar oder weist die Abfrage ab: Statistiken können nicht gelesen werden.',
    storage: 'Der Speicher der Dateien bestand die letzte Prüfung nicht: Dateien lassen sich nicht hochladen.',
  },
};
