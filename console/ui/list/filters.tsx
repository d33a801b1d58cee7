import { useUiWords } from '#console/i18n/ui.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';

interface Days {
  since?: string | undefined;
  until?: string | undefined;
}

/** The first and the last day of a filter. */
export function DayFields({ since, until, onChange }: Days & { onChange: (days: Days) => void }) {
  const words = useUiWords();
  const orNone = (day: string): string | undefined => (day === '' ? undefined : day);
  return (
    <>
      <TextField
        label={words.since}
        type="date"
        value={since ?? ''}
        onChange={(day) => onChange({ since: orNone(day) })}
      />
      <TextField
        label={words.until}
        type="date"
        value={until ?? ''}
        onChange={(day) => onChange({ until: orNone(day) })}
      />
    </>
  );
}

interface FilterSelectProps<Id extends string> {
  label: string;
  isLabelHidden?: boolean;
  /** The choice that filters nothing. */
  all: string;
  choices: readonly { id: Id; label: string }[];
  value: Id | undefined;
  onChange: (value: Id | undefined) => void;
}

/** A filter by one of some values, or by none. */
export function FilterSelect<Id extends string>(props: FilterSelectProps<Id>) {
  const { all, choices, value, onChange, ...rest } = props;
  return (
    <Select<Id | 'all'>
      {...rest}
      value={value ?? 'all'}
      onChange={(next) => onChange(next === 'all' ? undefined : next)}
      choices={[{ id: 'all', label: all }, ...choices]}
    />
  );
}
