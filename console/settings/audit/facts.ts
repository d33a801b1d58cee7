import { nameChanged } from '#console/processes/describe.ts';
import { type FieldName, useFieldName } from '#console/processes/field-names.ts';
import { sayPermissions } from '#console/settings/permission-words.ts';
import type { Permissions } from '#core/organizations/permissions.ts';
import { type Format, useFormat } from '#console/i18n/format.ts';
import { type FactWords, useFactWords } from './fact-words.ts';

/** Names of the folders and domains of an organization, by their ids; of one that is gone nothing is known. */
export type PlaceNames = ReadonlyMap<string, string>;

type Details = Readonly<Record<string, unknown>>;

/** What the details are said with. */
interface Speaker {
  words: FactWords;
  fieldName: FieldName;
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
    // Fields that a change turned on or off are among its fields.
    if ((name === 'on' || name === 'off') && 'fields' in details) return [];
    const { words, fieldName } = speaker;
    if (typeof value === 'boolean' && fieldName(name, value) !== fieldName(name)) return [fieldName(name, value)];
    const said =
      name === 'fields'
        ? nameChanged(details, (field, state) => words.names[field] ?? fieldName(field, state)).join(', ')
        : sayValue(name, value, speaker);
    if (said === '') return [];
    return [name === 'name' ? said : `${words.names[name] ?? fieldName(name)}: ${said}`];
  });
}

/** A detail in words; empty: it is nothing that people read. */
function sayValue(name: string, value: unknown, speaker: Speaker): string {
  const { words, fieldName, format, places } = speaker;
  if (Array.isArray(value)) return value.map((one) => sayValue(name, one, speaker)).join(', ');
  if (name === 'permissions') return sayPermissions(value as Permissions, words);
  if (typeof value === 'boolean') return fieldName(String(value));
  if (typeof value === 'number') return format.number(value);
  if (typeof value !== 'string') return '';
  if (name === 'folderIds' || name === 'domainIds') return places?.get(value) ?? value;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return format.moment(value);
  return words.values[name]?.[value] ?? value;
}
