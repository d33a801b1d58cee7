import { useEffect, useState } from 'react';
import { lengths } from '#core/lengths.ts';
import { useKeys } from '#console/app/keys.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { SearchField } from './search-field.tsx';
import css from './search-box.module.css';

const inputId = 'search-list';

const afterLastKeyMs = (): number => 200;

interface SearchBoxProps {
  label: string;
  placeholder?: string;
  /** The search of the address. */
  text: string;
  onSearch: (text: string) => void;
  /** How long to wait after the last key of a text; infinite: until Enter. */
  pauseMs?: (typed: string) => number;
  /** What stays in the field after Enter. Default: all. */
  rest?: (typed: string) => string;
}

/** A search that follows a moment after the last key. `/` focuses it. */
export function SearchBox(props: SearchBoxProps) {
  const { label, placeholder = label, text, onSearch, pauseMs = afterLastKeyMs, rest = (typed) => typed } = props;
  const ui = useUiWords();
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  // The address changed by other means, such as Back.
  if (text !== shown) {
    setShown(text);
    setTyped(text);
  }
  useEffect(() => {
    const pause = pauseMs(typed);
    if (typed === text || pause === Infinity) return;
    const timer = setTimeout(() => {
      setShown(typed);
      onSearch(typed);
    }, pause);
    return () => clearTimeout(timer);
  }, [typed, text, onSearch, pauseMs]);
  useKeys({ '/': () => document.querySelector<HTMLInputElement>(`#${inputId}`)?.focus() });
  return (
    <div className={css.box} role="search">
      <SearchField
        id={inputId}
        label={label}
        placeholder={placeholder}
        clearLabel={ui.clear}
        value={typed}
        onChange={(next) => setTyped(next.slice(0, lengths.search))}
        onSubmit={(value) => {
          onSearch(value);
          setTyped(rest(value));
        }}
      />
    </div>
  );
}
