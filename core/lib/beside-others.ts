import { isObject } from './is-object.ts';

/**
 * For a check of a whole object: it runs beside errors of single fields, so that a client gets all of them at once (1.2). The fields that
 * it reads may be of any type then.
 */
export const besideOthers = { when: ({ value }: { value: unknown }): boolean => isObject(value) };

/**
 * As `besideOthers`, where fields are wrong anyway. An object without other errors is left to a later check, which names more at once or
 * knows what is stored.
 */
export const onlyBesideOthers = {
  when: ({ value, issues }: { value: unknown; issues: readonly unknown[] }): boolean =>
    isObject(value) && issues.length > 0,
};
