import { useEffect, useEffectEvent } from 'react';
import { isDialogOpen } from '#console/app/keys.ts';

/** Ctrl or Cmd C in the search copies the first link that was found, where no text is marked. */
export function useCopyFromSearch(copy: () => void): void {
  const onCopy = useEffectEvent((event: ClipboardEvent): void => {
    const field = event.target;
    const hasMarked = field instanceof HTMLInputElement && field.selectionStart !== field.selectionEnd;
    if (isDialogOpen() || hasMarked || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    copy();
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent): void => onCopy(event);
    document.addEventListener('copy', listen);
    return () => document.removeEventListener('copy', listen);
  }, []);
}
