import type { Activity } from '#console/api/processes.ts';
import { callerName } from '#console/i18n/nouns.ts';
import type { FieldName } from './field-names.ts';
import type { ProcessWords } from './words.ts';

/** Tells in a sentence what was changed, and by whom. */
export function describeActivity(activity: Activity, words: ProcessWords, fieldName: FieldName): string {
  const { action, subject, count, by, details } = activity;
  const who = callerOf(by, words);
  const what = count > 1 ? words.links(count) : words.things[subject.type](subject.name);
  const happened = words.happened[action];
  if (happened !== undefined) return happened({ who, what, count: (name) => Number(details?.[name] ?? 0) });
  const [, event = ''] = action.split('.');
  if (event === 'created') return words.made(who, what);
  if (event === 'deleted') return words.deleted(who, what);
  return words.changed(who, what, nameChanged(details ?? {}, fieldName).join(', '));
}

/**
 * Names of the fields of a change, each once. Of a field that is on or off it tells what became of it; not so of an older change, which does
 * not have it, and where one call turned some on and others off.
 */
export function nameChanged(details: Readonly<Record<string, unknown>>, fieldName: FieldName): string[] {
  const [fields, on, off] = [details.fields, details.on, details.off].map((list) =>
    Array.isArray(list) ? list.map(String) : [],
  ) as [string[], string[], string[]];
  const stateOf = (field: string): boolean | undefined =>
    on.includes(field) === off.includes(field) ? undefined : on.includes(field);
  return [...new Set(fields.map((field) => fieldName(field, stateOf(field))))];
}

function callerOf({ type, name: called, client }: Activity['by'], words: ProcessWords): string {
  const name = callerName(called);
  if (type === 'system') return words.system;
  if (type === 'staff') return words.staff;
  if (client !== null) return type === 'key' ? words.clientOfKey(client, name) : words.clientOfMember(client, name);
  return type === 'key' ? words.key(name) : (name ?? words.member);
}
