import { useState } from 'react';
import { forgetKept, keep, readKept } from '#console/ui/browser/kept.ts';
import { type Issues, remainingIssues } from './compare.ts';
import type { Draft } from './draft.ts';

const keptForMs = 7 * 24 * 3_600_000;

/**
 * A draft that is edited, with the API's messages about its fields. It survives a reload and a closed browser; a password in it does
 * not, which is never stored.
 * @param name of the kept draft: `new`, or the id of the link. @param start stands where none is kept, or none is wanted.
 */
export function useDraft(name: string, start: Draft, isKeptWanted = true) {
  const keptName = `waymark.draft.${name}`;
  const [kept, setKept] = useState(() => {
    const found = readKept('localStorage', keptName) as { at: number; draft: Draft } | undefined;
    return isKeptWanted && found !== undefined && Date.now() - found.at < keptForMs ? found.draft : undefined;
  });
  const [draft, setDraft] = useState<Draft>(kept ?? start);
  const [issues, setIssues] = useState<Issues>({});
  /** Removes a kept draft that was saved. */
  const forget = (): void => forgetKept('localStorage', keptName);
  return {
    draft,
    /** Whether the draft of an earlier visit stands in the fields. */
    isRestored: kept !== undefined,
    issues,
    setIssues,
    forget,
    change(part: Partial<Draft>): void {
      const next = { ...draft, ...part };
      // Leaving a field completes its text, which seldom changes it.
      if (isSame(next, draft)) return;
      setDraft(next);
      setIssues((shown) => remainingIssues(shown, draft, next));
      const withoutPassword = { ...next, password: undefined };
      if (isSame(withoutPassword, start)) forget();
      else keep('localStorage', keptName, { at: Date.now(), draft: withoutPassword });
    },
    /** Throws the draft away for another one. */
    reset(other: Draft): void {
      forget();
      setKept(undefined);
      setDraft(other);
    },
  };
}

function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
