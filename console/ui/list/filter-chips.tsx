import { useUiWords } from '#console/i18n/ui.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import css from './filter-chips.module.css';

interface FilterChipsProps {
  chips: readonly { key: string; text: string; remove: () => void }[];
  onClear: () => void;
  className?: string | undefined;
}

/** The filters that are set, each of which can be removed. */
export function FilterChips({ chips, onClear, className = '' }: FilterChipsProps) {
  const words = useUiWords();
  if (chips.length === 0) return null;
  return (
    <ul className={[css.chips, className].join(' ')} aria-label={words.filters}>
      {chips.map(({ key, text, remove }) => (
        <li key={key} className={css.chip}>
          <span className="clip">{text}</span>
          <IconButton icon="close" size="small" label={words.removeFilter(text)} onPress={remove} />
        </li>
      ))}
      <li>
        <Button size="small" variant="plain" onPress={onClear}>
          {words.clearFilters}
        </Button>
      </li>
    </ul>
  );
}
