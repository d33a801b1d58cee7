import { useFieldName } from '#console/processes/field-names.ts';
import { type Format, useFormat } from '#console/i18n/format.ts';
import { type FactWords, useFactWords } from './fact-words.ts';

/** Names of the folders and domains of an organization, by their ids; of one that is gone nothing is known. */
export type PlaceNames = ReadonlyMap<string, string>;

type Details = Readonly<Record<string, unknown>>;

/** What the details are said with. */
interface Speaker {
  words: FactWords;
  fieldName: (field: string) => string;
  format: Format;
  places?: PlaceNames | undefined;
}

/** @returns what tells the details of a line of the audit log. */
export function useFacts(): (details: Details, places?: PlaceNames) => string[] {
  const words = useFactWords();
  const fieldName = useFieldName();
  const format = useFormat();
  return (details, places) => factsOf(details, { words, fieldName, format, places });
}

/** The details of a line of the audit log in a few words each. */
export function factsOf(details: Details, speaker: Speaker): string[] {
  return Object.entries(details).flatMap(([name, value]) => {
    // The client of a sign-in is a keyed hash.
    if (name === 'client' || value === null) return [];
    const said = sayValue(name, value, speaker);
    if (said === '') return [];
    return [name === 'name' ? said : `${speaker.words.names[name] ?? speaker.fieldName(name)}: ${said}`];
  });
}

/** A detail in words; empty: it is nothing that people read. */
function sayValue(name: string, value: unknown, speaker: Speaker): string {
  const { words, fieldName, format, places } = speaker;
  if (Array.isArray(value)) return value.map((one) => sayValue(name, one, speaker)).join(', ');
  if (name === 'permissions') return sayPermissions(value as Record<string, readonly string[]>, words);
  if (typeof value === 'boolean') return fieldName(String(value));
  if (typeof value === 'number') return format.number(value);
  if (typeof value !== 'string') return '';
  if (name === 'fields') return words.names[value] ?? fieldName(value);
  if (name === 'folderIds' || name === 'domainIds') return places?.get(value) ?? value;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return format.moment(value);
  return words.values[name]?.[value] ?? value;
}

const sayPermissions = (permissions: Record<string, readonly string[]>, words: Speaker['words']): string =>
  Object.entries(permissions)
    .filter(([, actions]) => actions.length > 0)
    .map(([resource, actions]) => {
      const can = actions.map((action) => words.rights[action] ?? action).join(', ');
      return `${words.resources[resource] ?? resource} (${can})`;
    })
    .join(', ');
