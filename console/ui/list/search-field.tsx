import { Group, Input, SearchField as AriaSearchField } from 'react-aria-components';
import { IconButton } from '#console/ui/button.tsx';
import css from '#console/ui/form/field.module.css';
import { Icon } from '#console/ui/icon.tsx';

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onSubmit?: (value: string) => void;
  placeholder?: string;
  clearLabel: string;
  autoFocus?: boolean;
  /** Id of the input, for keys that focus it. */
  id?: string;
}

/** A search; Escape empties it. */
export function SearchField({ label, placeholder, clearLabel, value, id, ...rest }: SearchFieldProps) {
  return (
    <AriaSearchField {...rest} value={value} aria-label={label} className={css.field}>
      <Group className={`${css.box} ${css.search}`}>
        <Icon name="search" />
        <Input placeholder={placeholder} id={id} />
        {value !== '' && <IconButton slot="clear" icon="close" size="small" label={clearLabel} />}
      </Group>
    </AriaSearchField>
  );
}
