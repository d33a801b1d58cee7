import { useEffect } from 'react';
import { flushSync } from 'react-dom';

/** Draws a change, such as a form that opens or closes, and puts the focus on what stands there then, with its whole section in view. */
export function changeAndFocus(change: () => void, selector: string): void {
  flushSync(change);
  const field = document.querySelector<HTMLElement>(selector);
  if (field === null) return;
  const { top } = field.getBoundingClientRect();
  (field.closest('section') ?? field).scrollIntoView({ block: 'nearest' });
  field.scrollIntoView({ block: 'nearest' });
  const focus = (): void => field.focus({ preventScroll: true });
  // A list that opens by the focus would close again by the scrolling, which is told in the next picture.
  if (field.getBoundingClientRect().top === top) focus();
  else requestAnimationFrame(() => requestAnimationFrame(focus));
}

/**
 * Puts the focus on the first match in an element, and on an earlier one that comes late, until the person goes on.
 * @returns a function that stops it.
 */
export function focusFirst(element: HTMLElement, selector: string): () => void {
  let focused: Element | null = null;
  const focus = (): void => {
    const first = element.querySelector<HTMLElement>(selector);
    if (first === null || first === focused) return;
    focused = first;
    first.scrollIntoView({ block: 'center' });
    first.focus({ preventScroll: true });
  };
  focus();
  const observer = new MutationObserver(focus);
  observer.observe(element, { childList: true, subtree: true });
  const stop = (): void => {
    observer.disconnect();
    for (const event of ['keydown', 'pointerdown']) document.removeEventListener(event, stop, { capture: true });
  };
  for (const event of ['keydown', 'pointerdown']) document.addEventListener(event, stop, { capture: true });
  return stop;
}

/** Brings a place into view whose content came late. @param id of the element. */
export function useLateView(id: string): void {
  useEffect(() => document.querySelector(`#${id}`)?.scrollIntoView({ block: 'nearest' }), [id]);
}
