import { createWords } from '#console/i18n/words.ts';

const systems = { windows: 'Windows', macos: 'macOS', linux: 'Linux', ios: 'iOS', android: 'Android' };

const en = {
  intro:
    'The first rule whose conditions all hold decides where a visitor goes. Visitors without one go to the destination.',
  list: 'Rules in order',
  add: 'Add a rule',
  rule: (place: number) => `Rule ${place}`,
  edit: (place: number) => `Edit rule ${place}`,
  drag: (place: number) => `Move rule ${place} by drag`,
  up: (place: number) => `Move rule ${place} up`,
  down: (place: number) => `Move rule ${place} down`,
  remove: (place: number) => `Remove rule ${place}`,
  conditionless: 'No condition yet',
  noDestination: 'no destination yet',
  more: (count: number) => `and ${count} more`,
  hidden: (places: readonly string[]) =>
    `Never reached: ${places.join(' and ')} ${places.length === 1 ? 'matches' : 'together match'} all visitors of this rule before.`,
  countries: 'Country is one of',
  countriesHint: 'Any country when empty',
  languages: 'Language is one of',
  languagesHint: 'Any language when empty. A region too: de-AT',
  systems: 'System is one of',
  systemsHint: 'Any system when none is ticked',
  leadsTo: 'Then leads to',
  addContinent: (name: string) => `Add ${name}`,
  osTypes: { ...systems, other: 'Other' },
};

const de: typeof en = {
  intro: 'Die erste Regel, deren Bedingungen alle zutreffen, führt den Besucher. Alle anderen führt das Ziel.',
  list: 'Regeln der Reihe nach',
  add: 'Regel hinzufügen',
  rule: (place) => `Regel ${place}`,
  edit: (place) => `Regel ${place} bearbeiten`,
  drag: (place) => `Regel ${place} ziehen`,
  up: (place) => `Regel ${place} nach oben`,
  down: (place) => `Regel ${place} nach unten`,
  remove: (place) => `Regel ${place} entfernen`,
  conditionless: 'Noch keine Bedingung',
  noDestination: 'noch kein Ziel',
  more: (count) => `und ${count} weitere`,
  hidden: (places) =>
    `Nie erreicht: ${places.join(' und ')} ${places.length === 1 ? 'gilt' : 'gelten zusammen'} vorher für alle Besucher dieser Regel.`,
  countries: 'Land ist eines von',
  countriesHint: 'Leer: jedes Land',
  languages: 'Sprache ist eine von',
  languagesHint: 'Leer: jede Sprache. Auch mit Region: de-AT',
  systems: 'System ist eines von',
  systemsHint: 'Ohne Haken: jedes System',
  leadsTo: 'Dann führt der Link zu',
  addContinent: (name) => `${name} hinzufügen`,
  osTypes: { ...systems, other: 'Andere' },
};

export const useRuleWords = createWords({ en, de });
