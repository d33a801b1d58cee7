import { type ReactNode, useState } from 'react';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { type Choice, ComboBox } from '#console/ui/form/field.tsx';
import { useRuleWords } from './words.ts';
import css from './rules.module.css';
import layout from '#console/ui/page/layout.module.css';

interface PickerProps {
  label: string;
  hint: string;
  error: string | undefined;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  /** Name of a chosen id, which may be none of the choices. */
  nameOf: (id: string) => string;
  /** The id that a typed text names; undefined: none. */
  read: (text: string) => string | undefined;
  /** Buttons that choose many at once. */
  shortcuts?: ReactNode;
}

/** Several choices of a long list: each is found by typing, and stands below the field until it is removed. */
export function Picker({ label, hint, error, choices, chosen, onChange, nameOf, read, shortcuts }: PickerProps) {
  const words = useRuleWords();
  const ui = useUiWords();
  const [text, setText] = useState('');
  const add = (id: string | undefined): void => {
    if (id === undefined) return;
    if (!chosen.includes(id)) onChange([...chosen, id]);
    setText('');
  };
  return (
    <div className={css.picker}>
      <ComboBox
        label={label}
        hint={hint}
        error={error}
        text={text}
        onText={setText}
        onChoose={(id) => id !== null && add(id)}
        {...(text.trim() === '' ? {} : { onEnter: () => add(read(text)) })}
        choices={choices.filter(({ id }) => !chosen.includes(id))}
        openLabel={ui.open}
      />
      {shortcuts}
      {chosen.length > 0 && (
        <ul className={`${layout.chosen} ${css.chosen}`}>
          {chosen.map((id) => (
            <li key={id}>
              {nameOf(id)}
              <IconButton
                icon="close"
                size="small"
                label={words.removeItem(nameOf(id))}
                onPress={() => onChange(chosen.filter((one) => one !== id))}
              />
            </li>
          ))}
          {chosen.length > 3 && (
            <li className={css.all}>
              <Button size="small" variant="plain" onPress={() => onChange([])}>
                {words.removeAll}
              </Button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
