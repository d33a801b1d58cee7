import { useEffect, useState } from 'react';
import { useKeys } from '#console/app/keys.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { SearchField } from '#console/ui/field.tsx';
import { Empty } from '#console/ui/states.tsx';
import { useOrganizeWords } from './words.ts';
import css from './organize.module.css';

const inputId = 'search-organize';
const afterLastKeyMs = 200;
const longest = 500;

/** A search that follows a moment after the last key. `/` focuses it. @param text the search of the address. */
export function SearchBox({
  label,
  text,
  onSearch,
}: {
  label: string;
  text: string;
  onSearch: (text: string) => void;
}) {
  const ui = useUiWords();
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  // The address changed by other means, such as Back.
  if (text !== shown) {
    setShown(text);
    setTyped(text);
  }
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => {
      setShown(typed);
      onSearch(typed);
    }, afterLastKeyMs);
    return () => clearTimeout(timer);
  }, [typed, text, onSearch]);
  useKeys({ '/': () => document.querySelector<HTMLInputElement>(`#${inputId}`)?.focus() });
  return (
    <div className={css.searchBox} role="search">
      <SearchField
        id={inputId}
        label={label}
        placeholder={label}
        clearLabel={ui.clear}
        value={typed}
        onChange={(next) => setTyped(next.slice(0, longest))}
        onSubmit={onSearch}
      />
    </div>
  );
}

/** Id of the button that opens the form of a new row, and gets the focus back from it. */
export const makeButtonId = 'make';

/** Selector of the menu of a row by the value of its `data-row`, which gets the focus back from the row's form. */
export function menuOf(row: string): string {
  return `[data-row="${CSS.escape(row)}"] [aria-haspopup]`;
}

/** In the place of a page that lies behind the last one, for instance after its last row was deleted. */
export function PastEnd({ onBack }: { onBack: () => void }) {
  const words = useOrganizeWords();
  return <Empty icon="list" title={words.pastEnd} action={<Button onPress={onBack}>{words.firstPage}</Button>} />;
}
