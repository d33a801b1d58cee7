import { useState } from 'react';
import { useUiWords } from '#console/i18n/ui.ts';
import { SearchField } from '#console/ui/list/search-field.tsx';
import { Checkbox } from './field.tsx';
import css from './choices.module.css';

// With more of them, a search helps.
const fewChoices = 8;

interface ChoicesProps {
  label: string;
  hint: string;
  /** Stands for what was deleted. */
  gone: string;
  all: readonly { id: string; label: string }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** Boxes to tick, with a search where there are many; ticked ones stay in view. */
export function Choices({ label, hint, gone, all, chosen, onChange }: ChoicesProps) {
  const words = useUiWords();
  const [search, setSearch] = useState('');
  const deleted = chosen.filter((id) => !all.some((one) => one.id === id)).map((id) => ({ id, label: gone }));
  const wanted = search.trim().toLowerCase();
  const shown = [...all, ...deleted].filter(
    (one) => wanted === '' || one.label.toLowerCase().includes(wanted) || chosen.includes(one.id),
  );
  return (
    <fieldset className={css.set}>
      <legend>{label}</legend>
      <p className="quiet">{chosen.length === 0 ? hint : words.chosen(chosen.length)}</p>
      {all.length > fewChoices && (
        <SearchField
          label={words.searchIn(label)}
          placeholder={words.search}
          clearLabel={words.clearSearch}
          value={search}
          onChange={setSearch}
        />
      )}
      {/* Scrolls by keyboard too: its boxes take the focus. */}
      <div className={css.choices}>
        {shown.map(({ id, label: name }) => (
          <Checkbox
            key={id}
            isSelected={chosen.includes(id)}
            onChange={(isSelected) => onChange(isSelected ? [...chosen, id] : chosen.filter((one) => one !== id))}
          >
            {name}
          </Checkbox>
        ))}
      </div>
    </fieldset>
  );
}
