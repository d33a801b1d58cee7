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

// React Aria and pages that know a better place put the focus there within a few frames.
const restMs = 150;

/**
 * Gives the focus a place where the element that had it is gone, such as the button of a deleted row or a dialog whose opener is gone:
 * the heading of the nearest section that is still there, else of the page. A button that was disabled while a call was under way
 * gets it back. Keys and screen readers would begin at the top of the page otherwise.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let path: Element[] = [];
    let wasDisabled = false;
    let timer = 0;
    const see = ({ target }: Event): void => {
      path = [];
      wasDisabled = false;
      for (let element = target as Element | null; element !== null; element = element.parentElement)
        path.push(element);
    };
    // A click beside all fields takes the focus away on purpose.
    const forget = (): void => void (path = []);
    const restore = (): void => {
      const [last] = path;
      if (last === undefined || document.activeElement !== document.body) return;
      if (last.isConnected) {
        if (wasDisabled && !last.matches(':disabled')) (last as HTMLElement).focus({ preventScroll: true });
        return;
      }
      const main = document.querySelector<HTMLElement>('main');
      if (main === null || main.closest('[inert], [aria-hidden="true"]') !== null) return;
      const near = path.find((element) => element.isConnected && main.contains(element)) ?? main;
      const section = near.closest('section') ?? main;
      const heading = section.querySelector<HTMLElement>('h1, h2, h3') ?? main.querySelector<HTMLElement>('h1') ?? main;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    };
    const look = (): void => {
      const [last] = path;
      if (last === undefined || document.activeElement !== document.body) return;
      wasDisabled ||= last.matches(':disabled');
      clearTimeout(timer);
      timer = window.setTimeout(restore, restMs);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    document.addEventListener('focusin', see);
    document.addEventListener('pointerdown', forget);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', see);
      document.removeEventListener('pointerdown', forget);
    };
  }, []);
}
