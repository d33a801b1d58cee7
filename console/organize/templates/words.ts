import { nouns } from '#console/i18n/nouns.ts';
import { createWords } from '#console/i18n/words.ts';

const en = {
  title: nouns.en.templates,
  search: 'Search templates',
  make: 'New template',
  noneTitle: 'No template yet',
  noneText:
    'A template keeps the UTM values that you use again and again. Pick it in the editor of a link, and the five fields are filled in.',
  emptyTitle: 'No template has this name',
  values: 'UTM values',
  noValues: 'No values',
  editOf: (name: string) => `Edit the template ${name}`,
  duplicate: 'Duplicate',
  copyMark: ' (copy)',
  preview: 'A destination with these values',
  pick: 'Template',
  pickHint: 'Fills in the fields for which it has values.',
  made: (name: string) => `Made the template “${name}”`,
  taken: 'A template with this name exists already.',
  deleteTitle: (name: string) => `Delete the template “${name}”?`,
  deleteText: 'Links that were filled from it keep their values.',
  deleted: (name: string) => `Deleted the template “${name}”`,
  notDeleted: (name: string) => `The template “${name}” was not deleted.`,
};

const de: typeof en = {
  title: nouns.de.templates,
  search: 'Vorlagen suchen',
  make: 'Neue Vorlage',
  noneTitle: 'Noch keine Vorlage',
  noneText:
    'Eine Vorlage merkt sich UTM-Werte, die Sie immer wieder brauchen. Wählen Sie sie beim Bearbeiten eines Links, und die fünf Felder sind ausgefüllt.',
  emptyTitle: 'Keine Vorlage heißt so',
  values: 'UTM-Werte',
  noValues: 'Keine Werte',
  editOf: (name) => `Die Vorlage ${name} bearbeiten`,
  duplicate: 'Duplizieren',
  copyMark: ' (Kopie)',
  preview: 'Ein Ziel mit diesen Werten',
  pick: 'Vorlage',
  pickHint: 'Füllt die Felder aus, für die sie Werte hat.',
  made: (name) => `Vorlage „${name}“ angelegt`,
  taken: 'Eine Vorlage mit diesem Namen gibt es schon.',
  deleteTitle: (name) => `Die Vorlage „${name}“ löschen?`,
  deleteText: 'Links, die mit ihr ausgefüllt wurden, behalten ihre Werte.',
  deleted: (name) => `Vorlage „${name}“ gelöscht`,
  notDeleted: (name) => `Die Vorlage „${name}“ wurde nicht gelöscht.`,
};

export const useTemplateWords = createWords({ en, de });
