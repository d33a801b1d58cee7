/** Of the staff's pages: refusals, notes, and the lines of /readyz. */
export const staffGerman: Readonly<Record<string, string>> = {
  'This report is closed already.': 'Diese Meldung ist schon geschlossen.',
  'There is no such report.': 'Diese Meldung gibt es nicht.',
  'There is no such person.': 'Diese Person gibt es nicht.',
  'This domain belongs to the platform.': 'Diese Domain gehört der Plattform.',
  'Temporal cannot be asked for the moment; try again shortly.':
    'Temporal lässt sich gerade nicht fragen. Versuchen Sie es gleich wieder.',
  'GEOIP_DB is not set: rules by country never match, and statistics know no places':
    'GEOIP_DB ist nicht gesetzt: Regeln nach Ländern greifen nie, und Statistiken kennen keine Orte',
  "disk: {} of {} MB free on the API's machine": 'Datenträger: {} von {} MB frei auf der Maschine der API',
  "disk: {} of {} MB free on a worker's machine": 'Datenträger: {} von {} MB frei auf der Maschine eines Arbeiters',
  "clock: {} s behind the database's": 'Uhr: {} s hinter der Uhr der Datenbank',
  "clock: {} s ahead of the database's": 'Uhr: {} s vor der Uhr der Datenbank',
  'threat lists: {} not loaded': 'Listen von Bedrohungen: {} nicht geladen',
  'threat lists: changes overdue for {} min': 'Listen von Bedrohungen: Änderungen seit {} min überfällig',
  'journal: {} s behind': 'Klicks: {} s im Rückstand',
  'journal: {} left by edges that are gone': 'Dateien mit Klicks von Edges, die es nicht mehr gibt: {}',
  'rejected clicks: {}': 'Abgewiesene Klicks: {}',
  'worker: no heartbeat': 'Arbeiter: kein Lebenszeichen',
  'worker: no heartbeat for {} s': 'Arbeiter: seit {} s kein Lebenszeichen',
  'worker: none takes tasks': 'Arbeiter: Keiner nimmt Aufgaben',
  'worker: no task for {} min': 'Arbeiter: seit {} min keine Aufgabe',
  'outbox: the oldest row has waited for {} s {}': 'Outbox: Der älteste Eintrag wartet seit {} s {}',
  'outbox: {} parked': 'Outbox: {} aufgegeben',
};
