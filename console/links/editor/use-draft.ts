import { useState } from 'react';
import { forgetKept, keep, readKept } from '#console/ui/browser/kept.ts';
import { type Issues, remainingIssues } from './compare.ts';
import type { Draft } from './draft.ts';
import type { KeptDraft } from './resume.ts';

const keptForMs = 7 * 24 * 3_600_000;
const nameOf = (name: string): string => `waymark.draft.${name}`;

/** @returns the draft of an earlier visit that was not saved; undefined: there is none. @param name as `useDraft` had it. */
export function readKeptDraft(name: string): KeptDraft | undefined {
  const found = readKept('localStorage', nameOf(name)) as (KeptDraft & { at: number }) | undefined;
  return found !== undefined && Date.now() - found.at < keptForMs ? found : undefined;
}

/**
 * A draft that is edited, with the API's messages about its fields. It survives a reload and a closed browser; a password in it does
 * not, which is never stored.
 * @param name of the kept draft: `new`, or the id of the link. @param start stands where no draft was `restored`.
 * @param base the link that a draft of it is compared with.
 */
export function useDraft(name: string, start: Draft, restored: Draft | undefined, base?: KeptDraft['base']) {
  const [isRestored, setRestored] = useState(restored !== undefined);
  const [draft, setDraft] = useState<Draft>(restored ?? start);
  const [issues, setIssues] = useState<Issues>({});
  const keepOn = (kept: Draft, on = base): void =>
    keep('localStorage', nameOf(name), { at: Date.now(), draft: withoutPassword(kept), base: on });
  /** Removes the kept draft. */
  const forget = (): void => forgetKept('localStorage', nameOf(name));
  return {
    draft,
    /** Whether the draft of an earlier visit stands in the fields. */
    isRestored,
    issues,
    setIssues,
    forget,
    /** Removes the kept draft that was saved, unless it was changed since. */
    forgetSaved(saved: Draft): void {
      const kept = readKeptDraft(name)?.draft;
      if (kept !== undefined && isSame(kept, withoutPassword(saved))) forget();
    },
    /** Keeps the draft on top of another state of its link. */
    rebase: (on: KeptDraft['base']): void => keepOn(draft, on),
    change(part: Partial<Draft>): void {
      const next = { ...draft, ...part };
      // Leaving a field completes its text, which seldom changes it.
      if (isSame(next, draft)) return;
      setDraft(next);
      setIssues((shown) => remainingIssues(shown, draft, next));
      if (isSame(withoutPassword(next), start)) forget();
      else keepOn(next);
    },
    /** Throws the draft away for another one. */
    reset(other: Draft): void {
      forget();
      setRestored(false);
      setDraft(other);
    },
  };
}

function withoutPassword(draft: Draft): Draft {
  return { ...draft, password: undefined };
}

function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
