import type { ShortLink } from '#console/api/types.ts';
import { type Draft, patchOf, valueAt } from './draft.ts';

/** Messages about fields by the dotted path of the API's field. */
export type Issues = Readonly<Record<string, string>>;

/** The messages that still hold after a change of the draft: one whose field has another value than the API refused goes. */
export function remainingIssues(issues: Issues, before: Draft, after: Draft): Issues {
  const isSame = (path: string): boolean => valueAt(before, path) === valueAt(after, path);
  const left = Object.entries(issues).filter(([path]) => isSame(path));
  // The same object where nothing goes: other ones lead the focus to the first fault.
  return left.length === Object.keys(issues).length ? issues : Object.fromEntries(left);
}

/** How many of some fields a draft sets: the default folder is none, and a password that is stored already is one. */
export function countSet(
  fields: readonly (keyof Draft)[],
  draft: Draft,
  known: { saved?: Pick<ShortLink, 'hasPassword'> | undefined; defaultFolderId?: string | undefined },
): number {
  return fields.filter((field) => {
    const value = draft[field];
    if (field === 'folderId' && value === known.defaultFolderId) return false;
    if (field === 'password' && value === undefined) return known.saved?.hasPassword === true;
    return Array.isArray(value) ? value.length > 0 : !['', false, undefined, null].includes(value as string);
  }).length;
}

/** The fields of the API's body that two changes of a draft set to different values. */
export function conflictsOf(before: Draft, mine: Draft, theirs: Draft): string[] {
  const [own, others] = [patchOf(before, mine), patchOf(before, theirs)];
  return Object.keys(own).filter(
    (name) => name in others && JSON.stringify(own[name]) !== JSON.stringify(others[name]),
  );
}
