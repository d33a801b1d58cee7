import type { Tagged } from '#console/api/client.ts';
import type { ShortLink } from '#console/api/types.ts';
import { conflictsOf } from './compare.ts';
import { type Draft, draftOf, patchOf } from './draft.ts';

/** A draft that was not saved, and the link as it was when the person began; undefined: a new link. */
export interface KeptDraft {
  draft: Draft;
  base?: Tagged<ShortLink> | undefined;
}

/**
 * Goes on with a kept draft of a link that others may have changed since: fields that the person left alone are those of the link as
 * it is now.
 * @returns the draft, undefined where it has been saved already; and what its changes are compared with: the link as the person saw it
 * where another value was saved in the same field, so that saving asks, else the link as it is now.
 */
export function resumeDraft(
  kept: KeptDraft | undefined,
  now: Tagged<ShortLink>,
): { draft: Draft | undefined; base: Tagged<ShortLink> } {
  if (kept === undefined) return { draft: undefined, base: now };
  const { base = now } = kept;
  const [before, theirs] = [draftOf(base.data), draftOf(now.data)];
  const isOwn = (name: string): boolean => textAt(kept.draft, name) !== textAt(before, name);
  const draft = { ...theirs, ...Object.fromEntries(Object.entries(kept.draft).filter(([name]) => isOwn(name))) };
  if (Object.keys(patchOf(theirs, draft)).length === 0) return { draft: undefined, base: now };
  return { draft, base: conflictsOf(before, draft, theirs).length > 0 ? base : now };
}

function textAt(draft: Draft, name: string): string | undefined {
  return JSON.stringify(draft[name as keyof Draft]);
}
