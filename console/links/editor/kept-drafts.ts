import type { Draft } from './draft.ts';

// Drafts survive a reload and a closed browser. Passwords do not: they are never stored.

const prefix = 'waymark.draft.';
const keptForMs = 7 * 24 * 3_600_000;

/** Keeps a draft. @param name `new`, or the id of the link. */
export function keepDraft(name: string, draft: Draft): void {
  const { password: _secret, ...kept } = draft;
  try {
    localStorage.setItem(`${prefix}${name}`, JSON.stringify({ at: Date.now(), draft: kept }));
  } catch {
    // The browser's store is full or switched off: the draft lives as long as the page.
  }
}

/** @returns the draft that was kept, or undefined. */
export function readKeptDraft(name: string): Draft | undefined {
  try {
    const { at, draft } = JSON.parse(localStorage.getItem(`${prefix}${name}`) ?? '') as { at: number; draft: Draft };
    return Date.now() - at < keptForMs ? { ...draft, password: undefined } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes a draft that was saved or thrown away. */
export function forgetDraft(name: string): void {
  localStorage.removeItem(`${prefix}${name}`);
}
