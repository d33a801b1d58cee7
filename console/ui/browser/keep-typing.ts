// A part of the console that has to be loaded first; later keys mean something else.
const longestMs = 5_000;

/** Keeps what is typed until a field of a dialog has the focus, and writes it there: until then the keys would go to the page. */
export function keepTyping(): void {
  let typed = '';
  const onKey = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return end();
    if (event.key === 'Escape') return end();
    if (event.repeat || event.isComposing || event.metaKey) return;
    // AltGr is Ctrl and Alt on some systems.
    if (event.ctrlKey && !event.getModifierState('AltGraph')) return;
    if (event.key === 'Backspace') typed = typed.slice(0, -1);
    else if (event.key.length === 1) typed += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLInputElement) || target.closest('[role="dialog"]') === null) return;
    end();
    if (typed === '') return;
    // Once the focus has settled, and before the next key.
    queueMicrotask(() => {
      target.setRangeText(typed, target.selectionStart ?? 0, target.selectionEnd ?? 0, 'end');
      target.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
  };
  const timer = setTimeout(() => end(), longestMs);
  function end(): void {
    clearTimeout(timer);
    removeEventListener('keydown', onKey, { capture: true });
    removeEventListener('focusin', onFocus);
  }
  addEventListener('keydown', onKey, { capture: true });
  addEventListener('focusin', onFocus);
}
