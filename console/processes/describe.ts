import type { Activity, Coming, Running } from '#console/api/processes.ts';
import { callerName } from '#console/i18n/nouns.ts';
import type { FieldName } from './field-names.ts';
import type { ProcessWords } from './words.ts';

/** Tells in a sentence what was changed, and by whom. */
export function describeActivity(activity: Activity, words: ProcessWords, fieldName: FieldName): string {
  const { action, subject, count, by, details } = activity;
  const who = callerOf(by, words);
  const what = count > 1 ? words.links(count) : words.things[subject.type](subject.name);
  const [, event = ''] = action.split('.');
  const number = (name: string): number => Number(details?.[name] ?? 0);
  switch (action) {
    case 'import.created':
      return words.importStarted(who, number('rows'));
    case 'import.cancelled':
      return words.importCancelled(who);
    case 'import.undone':
      return words.importUndone(who);
    case 'import.completed':
      return words.importEnded(number('imported'), number('skipped'), number('failed'));
    case 'shortLink.flagged':
      return words.flagged(what);
    case 'shortLink.expired':
      return words.ended(what);
    case 'domain.verified':
      return words.verified(what);
    case 'domain.lost':
      return words.lost(what);
    case 'domain.created':
    case 'file.created':
      return words.added(who, what);
    case 'webhook.secretRotated':
      return words.secretRotated(who, what);
    case 'webhook.recovered':
      return words.recovered(who, what);
    case 'webhook.disabled':
      return words.disabled(what);
    default:
  }
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

/** Tells in a sentence what runs. */
export function describeRunning({ kind, state }: Running, words: ProcessWords): string {
  return words.states[kind]?.[state] ?? words.runs[kind];
}

/** Tells in a sentence what comes. */
export function describeComing({ kind }: Coming, words: ProcessWords): string {
  return words.comes[kind];
}
