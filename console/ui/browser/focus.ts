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

/** Brings a place into view whose content came late. @param id of the element. */
export function useLateView(id: string): void {
  useEffect(() => document.querySelector(`#${id}`)?.scrollIntoView({ block: 'nearest' }), [id]);
}
