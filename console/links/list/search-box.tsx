import { useEffect, useRef, useState } from 'react';
import { isDialogOpen } from '#console/app/keys.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { readTypedSearch } from '#console/links/search.ts';
import { useLinkWords } from '#console/links/words.ts';
import { SearchField } from '#console/ui/field.tsx';

/** The id of the field. */
export const searchId = 'search-links';

/** The search as it is typed: the list follows a moment after the last key. */
export function SearchBox({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const words = useLinkWords();
  const ui = useUiWords();
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  // The address changed by other means, such as Back.
  if (text !== shown) {
    setShown(text);
    setTyped(text);
  }
  useEffect(() => {
    // A filter that is being typed is read when the person goes on.
    if (typed === text || /(?:^|\s)(?:tag|domain|state):\S*$/.test(typed)) return;
    const timer = setTimeout(() => {
      setShown(typed);
      onSearch(typed);
    }, 200);
    return () => clearTimeout(timer);
  }, [typed, text, onSearch]);
  return (
    <SearchField
      id={searchId}
      label={words.search}
      placeholder={words.searchHint}
      clearLabel={ui.clear}
      value={typed}
      onChange={setTyped}
      onSubmit={(value) => {
        onSearch(value);
        setTyped(readTypedSearch(value, {}).q ?? '');
      }}
    />
  );
}

/** Ctrl or Cmd C in the search copies the first link that was found, where no text is marked. */
export function useCopyFromSearch(copy: () => void): void {
  const latest = useRef(copy);
  useEffect(() => {
    latest.current = copy;
  });
  useEffect(() => {
    const onCopy = (event: ClipboardEvent): void => {
      const field = event.target;
      const hasMarked = field instanceof HTMLInputElement && field.selectionStart !== field.selectionEnd;
      if (isDialogOpen() || hasMarked || getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('copy', onCopy);
    return () => document.removeEventListener('copy', onCopy);
  }, []);
}
