import { useEffect, useRef } from 'react';
import { useUiWords } from '#console/i18n/ui.ts';
import { readPreferences, usePreferences } from './preferences.ts';

/** Keys and what they do: `c`, `g l` (one after the other), `mod+k` (Ctrl, or Cmd on a Mac), `shift+?`. */
type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const chordMs = 1_000;
const alsoWhileTyping = new Set(['Escape', 'mod+k', 'mod+Enter']);

const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '');

/** The name of the key that `mod` stands for, as the person's keyboard has it. */
export function useModKey(): string {
  const words = useUiWords();
  return isMac ? 'Cmd' : words.ctrl;
}

/** @returns what hints at a single key; undefined: the person has switched these off. */
export function useKeyHint(): (key: string) => string | undefined {
  const { hasSingleKeys } = usePreferences();
  return (key) => (hasSingleKeys ? key : undefined);
}

/** Whether an element takes typed text, so that single letters are not keys. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return (
    target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'button', 'submit', 'range', 'color'].includes(target.type)
  );
}

/** Whether an element moves by arrow keys itself. */
function takesArrows(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && ['radio', 'range'].includes(target.type);
}

/** Whether a dialog is open, whose keys are its own. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
}

/** The name of a pressed key as key maps write it. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isLetter = /^[a-z0-9]$/.test(key);
  const modifiers = [
    ...(event.ctrlKey || event.metaKey ? ['mod'] : []),
    ...(event.altKey ? ['alt'] : []),
    // Signs such as ? need Shift on some keyboards and not on others.
    ...(event.shiftKey && (isLetter || key.length > 1) ? ['shift'] : []),
  ];
  return [...modifiers, key].join('+');
}

/**
 * Handles keys of the page while it is shown. Single letters act only where no text is edited, no dialog is open, and the
 * person did not switch them off.
 */
export function useKeys(keys: KeyMap, { inDialogs = false } = {}): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    let before: { name: string; at: number } | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const name = keyName(event);
      if (isTyping(event.target) && !alsoWhileTyping.has(name)) return;
      if (name.startsWith('Arrow') && takesArrows(event.target)) return;
      if (name.length === 1 && !readPreferences().hasSingleKeys) return;
      if (!inDialogs && isDialogOpen()) return;
      const now = performance.now();
      const chord = before !== undefined && now - before.at < chordMs ? `${before.name} ${name}` : undefined;
      before = { name, at: now };
      const handler = (chord === undefined ? undefined : latest.current[chord]) ?? latest.current[name];
      if (handler === undefined) return;
      event.preventDefault();
      handler(event);
    };
    // Ctrl Enter saves wherever the focus is: a button that has it would take Enter for a press.
    const onKeyBefore = (event: KeyboardEvent): void => {
      if (keyName(event) !== 'mod+Enter') return;
      onKey(event);
      if (event.defaultPrevented) event.stopPropagation();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('keydown', onKeyBefore, { capture: true });
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('keydown', onKeyBefore, { capture: true });
    };
  }, [inDialogs]);
}
